"""Writing a file replaces the old one whole, or not at all."""

import os
import stat
from pathlib import Path

import pytest

from entvec.errors import CannotWrite
from entvec.files import replacing


def test_a_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "table.txt"
    target.write_text("old")
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError("No space left on device")])
def test_an_interrupted_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, interruption: type[BaseException] | BaseException
) -> None:
    target = tmp_path / "table.txt"
    target.write_text("old")

    def write() -> None:
        with replacing(target) as temporary:
            temporary.write_text("ne")
            raise interruption

    with pytest.raises((KeyboardInterrupt, CannotWrite)):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_temporary_file_ends_as_the_target_does(tmp_path: Path) -> None:
    with replacing(tmp_path / "figure.svg") as temporary:
        assert temporary.suffix == ".svg"
        assert temporary.parent == tmp_path


def test_others_may_read_the_new_file_as_they_may_any_other(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    with replacing(tmp_path / "new"):
        pass
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with replacing(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_full_disk_is_told_with_the_name_that_was_asked_for(tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "x.png"):
            raise OSError(28, "No space left on device")

    with pytest.raises(CannotWrite, match=r"cannot write .*/x\.png: No space left on device$"):
        write()


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="it is a folder"), replacing(tmp_path):
        pass


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match=r"there is no folder .*nowhere"), replacing(tmp_path / "nowhere" / "x"):
        pass


@pytest.mark.skipif(os.access("/etc/shadow", os.W_OK), reason="this user may write anything")
def test_a_write_protected_file_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "protected"
    target.touch(mode=0o444)
    with pytest.raises(CannotWrite, match="write-protected"), replacing(target):
        pass


def test_a_file_that_only_some_may_read_stays_so(tmp_path: Path) -> None:
    target = tmp_path / "private"
    target.touch(mode=0o600)
    with replacing(target) as temporary:
        temporary.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_device_is_written_to_not_replaced() -> None:
    with replacing("/dev/null") as path:
        path.write_text("nothing")
    assert Path("/dev/null").is_char_device()
