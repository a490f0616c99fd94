# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "sim_bridge"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed", "household/*.yaml", "robot/tables/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["mujoco>=3.17,<4", "numpy<2.5", "pydantic>=2", "pyyaml", "setuptools", "trimesh"],
    extras_require={"ai2thor": ["ai2thor>=5,<6"], "test": ["hypothesis", "pytest", "yourdfpy"]},
    zip_safe=True,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="Skills and sensors of a simulator or a robot behind one protocol.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            f"bridge_node = {package_name}.bridge_node:main",
            f"simulated_robot = {package_name}.simulated_robot_node:main",
        ]
    },
)
