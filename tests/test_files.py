"""Writing a file replaces the old one whole, or not at all."""

import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from entvec import files
from entvec.errors import CannotWrite
from entvec.files import file_digest, read_whole, replacing, replacing_folder, restore_folder


def is_marked(folder: Path) -> bool:
    return (folder / "mark").is_file()


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


def test_writing_leaves_the_umask_of_the_process_alone(tmp_path: Path) -> None:
    """Files that other threads make meanwhile have the permissions that they would have anyway."""
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    expected = stat.S_IMODE(ordinary.stat().st_mode)
    done = threading.Event()
    modes: set[int] = set()

    def make_files() -> None:
        path = tmp_path / "meanwhile"
        while not done.is_set():
            path.touch()
            modes.add(stat.S_IMODE(path.stat().st_mode))
            path.unlink()

    def write(number: int) -> None:
        for _ in range(100):
            with replacing(tmp_path / f"{number}.txt"):
                pass
            with replacing_folder(tmp_path / str(number), ours=is_marked) as folder:
                (folder / "mark").touch()

    other = threading.Thread(target=make_files)
    other.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(4)))
    finally:
        done.set()
        other.join()
    assert modes == {expected}


@pytest.mark.parametrize("mask", [0o027, 0o077, 0o777])
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path, mask: int) -> None:
    program = f"""
import os
from entvec.files import replacing
os.umask({mask})
with replacing({str(tmp_path / "new")!r}) as temporary:
    temporary.write_text("new")
    assert temporary.stat().st_mode & 0o777 == 0o600
assert os.umask(0) == {mask}
"""
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~mask


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


# Folders


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


@pytest.mark.parametrize("before", ["nothing", "an empty folder", "an older one"])
def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path: Path, before: str) -> None:
    target = tmp_path / "space"
    if before != "nothing":
        target.mkdir()
    if before == "an older one":
        (target / "mark").touch()
        (target / "old").touch()
    with replacing_folder(target, ours=is_marked) as folder:
        (folder / "mark").write_text("new")
        assert target.exists() == (before != "nothing")
    assert names(target) == ["mark"]
    assert (target / "mark").read_text() == "new"
    assert names(tmp_path) == ["space"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError(28, "No space left on device"), ValueError])
@pytest.mark.parametrize("older", [False, True])
def test_an_interrupted_folder_leaves_the_old_one_and_no_other(
    tmp_path: Path, interruption: type[BaseException] | BaseException, older: bool
) -> None:
    target = tmp_path / "space"
    if older:
        target.mkdir()
        (target / "mark").write_text("old")

    def write() -> None:
        with replacing_folder(target, ours=is_marked) as folder:
            (folder / "mark").write_text("new")
            raise interruption

    with pytest.raises((KeyboardInterrupt, CannotWrite, ValueError)):
        write()
    assert names(tmp_path) == (["space"] if older else [])
    assert not older or (target / "mark").read_text() == "old"


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError(13, "Permission denied")])
def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: type[BaseException] | BaseException
) -> None:
    target = tmp_path / "space"
    target.mkdir()
    (target / "mark").write_text("old")
    original = Path.replace

    def fails(self: Path, other: Path) -> Path:
        if self.name == "new":
            raise problem
        return original(self, other)

    monkeypatch.setattr(files, "_exchange", lambda *_: False)
    monkeypatch.setattr(Path, "replace", fails)
    with (
        pytest.raises((KeyboardInterrupt, CannotWrite)),
        replacing_folder(target, ours=is_marked) as folder,
    ):
        (folder / "mark").write_text("new")
    assert (target / "mark").read_text() == "old"
    assert names(tmp_path) == ["space"]


def test_a_file_of_the_folder_that_cannot_be_written_is_told_by_the_name_that_was_asked_for(tmp_path: Path) -> None:
    def write() -> None:
        with replacing_folder(tmp_path / "space", ours=is_marked) as folder, replacing(folder / "part"):
            raise OSError(28, "No space left on device")

    with pytest.raises(CannotWrite, match=r"^cannot write .*/space: No space left on device$"):
        write()
    assert names(tmp_path) == []


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_not_ours_is_not_replaced(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "precious"
    if kind == "file":
        target.write_text("old")
    else:
        target.mkdir()
        (target / "thesis").write_text("old")
    problem = r"precious: it is there already and entvec did not write it; choose another name or remove it$"
    with pytest.raises(CannotWrite, match=problem), replacing_folder(target, ours=is_marked):
        pytest.fail("the folder was given out")
    assert names(tmp_path) == ["precious"]


def test_a_missing_folder_around_a_folder_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(CannotWrite, match=r"there is no folder .*nowhere; make it first"),
        replacing_folder(tmp_path / "nowhere" / "space", ours=is_marked),
    ):
        pass


def test_a_place_that_takes_no_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **ignored: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with (
        pytest.raises(CannotWrite, match=r"/space: No space left on device$"),
        replacing_folder(tmp_path / "space", ours=is_marked),
    ):
        pytest.fail("a folder was given out")


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with replacing_folder(tmp_path / "link", ours=is_marked) as folder:
        (folder / "mark").touch()
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "target") == ["mark"]


def test_others_may_read_the_new_folder_as_they_may_any_other(tmp_path: Path) -> None:
    (tmp_path / "ordinary").mkdir()
    with replacing_folder(tmp_path / "new", ours=is_marked):
        pass
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE((tmp_path / "ordinary").stat().st_mode)


@pytest.mark.skipif(os.access("/etc/shadow", os.W_OK), reason="this user may write anything")
def test_a_write_protected_place_for_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "protected").mkdir(mode=0o555)
    with (
        pytest.raises(CannotWrite, match="Permission denied"),
        replacing_folder(tmp_path / "protected" / "space", ours=is_marked),
    ):
        pass


# Writers that were killed, and several at the same time


KILLED = """
import os, signal, sys
from pathlib import Path
from entvec import files

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

target, how = Path(sys.argv[1]), sys.argv[2]
if how == "file":
    with files.replacing(target) as temporary:
        temporary.write_text("new")
        die()
if how == "between the renames":
    files._exchange = lambda *_: False
    original = Path.replace
    Path.replace = lambda self, other: die() if self.name == "new" else original(self, other)
with files.replacing_folder(target, ours=lambda folder: (folder / "mark").is_file()) as folder:
    (folder / "mark").write_text("new")
    if how == "folder":
        die()
"""


def kill_a_writer(target: Path, how: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, target, how], check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL


def old_folder(path: Path) -> Path:
    path.mkdir()
    (path / "mark").write_text("old")
    return path


def test_litter_of_a_killed_writer_is_removed_by_the_next_write(tmp_path: Path) -> None:
    file, folder = tmp_path / "table.txt", old_folder(tmp_path / "space.v1")
    for _ in range(3):
        kill_a_writer(file, "file")
        kill_a_writer(folder, "folder")
        assert len(names(tmp_path)) == 3  # the folder, and one temporary entry each
    with replacing(file) as temporary:
        temporary.write_text("new")
    with replacing_folder(folder, ours=is_marked) as new:
        (new / "mark").write_text("new")
    assert names(tmp_path) == ["space.v1", "table.txt"]


def test_what_a_living_writer_writes_is_no_litter(tmp_path: Path) -> None:
    file, folder = tmp_path / "table.txt", tmp_path / "space"
    with replacing(file) as one, replacing_folder(folder, ours=is_marked) as other:
        (other / "mark").write_text("first")
        one.write_text("first")
        with replacing(file) as temporary:
            temporary.write_text("second")
        with replacing_folder(folder, ours=is_marked) as new:
            (new / "mark").write_text("second")
        assert (file.read_text(), (folder / "mark").read_text()) == ("second", "second")
    assert (file.read_text(), (folder / "mark").read_text()) == ("first", "first")
    assert names(tmp_path) == ["space", "table.txt"]


def test_hidden_files_of_others_are_no_litter(tmp_path: Path) -> None:
    others = [".table-secret12.txt", ".table.entvec-notes.txt", ".table.entvec-0123456789abcdef.txt.bak"]
    for name in others:
        (tmp_path / name).touch()
    with replacing(tmp_path / "table.txt"):
        pass
    assert names(tmp_path) == sorted([*others, "table.txt"])


@pytest.mark.parametrize("then", ["open", "write"])
def test_a_replacement_that_was_killed_halfway_is_undone(tmp_path: Path, then: str) -> None:
    target = old_folder(tmp_path / "space.v1")
    old_folder(tmp_path / "space")
    kill_a_writer(target, "between the renames")
    assert not target.exists()
    assert not restore_folder(tmp_path / "space")  # whose name is only similar
    if then == "open":
        assert restore_folder(target)
        assert not restore_folder(target)
        assert (target / "mark").read_text() == "old"
    else:
        with replacing_folder(target, ours=is_marked) as folder:
            assert (target / "mark").read_text() == "old"
            (folder / "mark").write_text("newer")
        assert (target / "mark").read_text() == "newer"
    assert names(tmp_path) == ["space", "space.v1"]


@pytest.mark.skipif(sys.platform != "linux", reason="this system cannot exchange two folders")
def test_a_folder_is_there_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = old_folder(tmp_path / "space")
    moved = []
    original = Path.replace

    def noted(self: Path, other: Path) -> Path:
        moved.append(self)
        return original(self, other)

    monkeypatch.setattr(Path, "replace", noted)
    with replacing_folder(target, ours=is_marked) as folder:
        (folder / "mark").write_text("new")
    assert (target / "mark").read_text() == "new"
    assert moved == []  # the system has exchanged the two in one step
    assert names(tmp_path) == ["space"]


def test_writers_of_the_same_target_do_not_hinder_each_other(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(30):
            with replacing(tmp_path / "table.txt") as temporary:
                temporary.write_text(f"{number}")
            with replacing_folder(tmp_path / "space", ours=is_marked) as folder:
                (folder / "mark").write_text(f"{number}")

    old_folder(tmp_path / "space")
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    assert names(tmp_path) == ["space", "table.txt"]
    assert (tmp_path / "table.txt").read_text() in "012345"


def test_without_locks_a_file_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", fails)
    with replacing(tmp_path / "table.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "table.txt").read_text() == "new"
    assert names(tmp_path) == ["table.txt"]


def test_the_digest_of_a_file_is_that_of_all_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    assert file_digest(tmp_path / "file").startswith("ba7816bf")


# Reading


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_whole(path, 5) == b"12345"
    with pytest.raises(OSError, match=r"^it has more than 4 bytes"):
        read_whole(path, 4)
    with pytest.raises(OSError, match=r"^it is a device, expected a file$"):
        read_whole(Path("/dev/zero"), 5)
    with pytest.raises(OSError, match=r"^it is a folder, expected a file$"):
        read_whole(tmp_path, 5)
    with pytest.raises(FileNotFoundError):
        read_whole(tmp_path / "nothing", 5)


def test_a_pipe_is_read_if_somebody_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(path.write_bytes, b"12345")  # waits for a reader
        assert read_whole(path, 5) == b"12345"
        assert writing.result() == 5


def test_a_writer_of_a_pipe_may_take_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setattr(files, "WRITER_SECONDS", 0.0)
    writer = os.open(path, os.O_RDWR)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_whole, path, 5)
        os.write(writer, b"123")
        while not reading.running():
            pass
        os.write(writer, b"45")
        with pytest.raises(TimeoutError):
            reading.result(timeout=0.2)  # until the writer closes it
        os.close(writer)
        assert reading.result() == b"12345"


def test_a_pipe_that_nobody_writes_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setattr(files, "WRITER_SECONDS", 0.01)
    with pytest.raises(OSError, match=r"^it is a pipe that nobody writes to"):
        read_whole(path, 5)


def test_all_files_of_a_folder_are_on_the_disk_before_it_is_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    original = os.fsync

    def noted(descriptor: int) -> None:
        assert not (tmp_path / "space").exists()
        synced.append(os.fstat(descriptor).st_ino)
        original(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    with replacing_folder(tmp_path / "space", ours=is_marked) as folder:
        (folder / "part").mkdir()
        for path in (folder / "mark", folder / "part" / "index"):
            path.write_text("new")
    assert sorted(synced) == sorted(path.stat().st_ino for path in (tmp_path / "space").rglob("*") if path.is_file())
