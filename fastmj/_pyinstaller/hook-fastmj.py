"""Hook of PyInstaller: tables, rooms that are imported late, and sources.

Compiled code is kept on disk by a digest of the sources of the kernels.
"""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

datas = collect_data_files("fastmj")
hiddenimports = collect_submodules("fastmj", filter=lambda name: "_pyinstaller" not in name)
module_collection_mode = "pyz+py"
