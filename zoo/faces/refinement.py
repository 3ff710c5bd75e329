"""Refinement of the faces that one detector proposes, by another."""

from dataclasses import dataclass

from zoo.shared.anchors import AnchorGrid


@dataclass(frozen=True)
class Refinement:
    """Facts by which `RefinedBlazeFace` refines the faces that its detector proposes."""

    grid: AnchorGrid  # of the refining network
    proposal_threshold: float = 0.3  # least score of a proposal; most are no faces
    scale: float = 3.0  # side of the region that is refined, in sides of the proposed box
    reach: float = 1.0  # how far off a face may be, in sides of the proposed box
