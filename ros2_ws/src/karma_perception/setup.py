# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_perception"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed", "household.yaml", "detectors/coco.txt"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=[
        "setuptools",
        "numpy<2.5",
        "scipy",
        "matplotlib",
        "pillow",
        "pydantic>=2",
        "PyYAML",
        "onnxruntime>=1.18",
        "rosbags",
        "apsw",
        "backports-zstd",
    ],
    extras_require={
        # PLY files, and objects of detectors that draw boxes; there is no wheel for other processors than x86-64.
        "open3d": ["open3d-cpu==0.20.0"],
        "test": ["hypothesis", "onnx", "pytest"],
    },
    zip_safe=True,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="RGB-D frames to a hierarchical 3D scene graph: library and node.",
    license="Apache-2.0",
    entry_points={"console_scripts": [f"perception_node = {package_name}.perception_node:main"]},
)
