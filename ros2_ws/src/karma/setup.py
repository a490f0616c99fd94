# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from glob import glob

from setuptools import find_packages, setup

package_name = "karma"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed", "soak/machine.c"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
        *((f"share/{package_name}/{folder}", glob(f"{folder}/*.*")) for folder in ("config", "launch", "rviz", "urdf")),
    ],
    install_requires=[
        "anyio",
        "click",
        "cryptography",
        "matplotlib",
        "mcp>=2,<3",
        "mcp-types>=2,<3",
        "msgspec",
        "numpy",
        "pillow",
        "pydantic>=2",
        "pyyaml",
        "rich",
        "rosbags",
        "scipy",
        "setuptools",
        "supervisor",
        "uvicorn",
        "websockets>=15",
    ],
    extras_require={"metrics": ["prometheus-client"], "test": ["pytest"]},
    zip_safe=False,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="Bring-up and command line of the KARMA memory stack for household robots.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            f"lifecycle_manager = {package_name}.lifecycle_manager_node:main",
        ]
    },
)
