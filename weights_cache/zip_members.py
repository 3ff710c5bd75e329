"""Members of zip archives that no reader here unpacks."""

import stat
import zipfile


def unreadable_reason(member: zipfile.ZipInfo) -> str:
    """Return why a member is not read, and what to do; empty if it may be read.

    Other methods than deflate are refused as zipfile unpacks them without a limit: some kilobytes
    become gigabytes, whatever the member declares.

    >>> unreadable_reason(zipfile.ZipInfo("a.bin"))
    ''
    """
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a symbolic link: put the file itself into the archive"
    if member.flag_bits & 1:
        return "it is encrypted: pack it without a password"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "its compression method is not supported: pack it with deflate"
    return ""
