"""Builders of networks whose files carry weights only. An Entry names its builder."""
