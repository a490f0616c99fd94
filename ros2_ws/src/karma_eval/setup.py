# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_eval"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed", "*/*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=[
        "setuptools",
        "click",
        "matplotlib",
        "numpy>=1.26,<2.5",
        "pydantic>=2",
        "rich",
        "scipy",
        "tqdm",
    ],
    extras_require={
        "peers": ["theine", "emem"],
        "test": ["hypothesis", "pillow", "pytest"],
    },
    zip_safe=True,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="The papers' protocols and the benchmarks of KARMA, each against what a user would otherwise take.",
    license="Apache-2.0",
)
