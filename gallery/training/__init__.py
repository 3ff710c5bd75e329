"""What the programs that train networks share; a folder beside has each program."""
