# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "planner_node"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={
        package_name: [
            "ros/exchanged_before.json",
            "py.typed",
            *(f"{folder}/*.yaml" for folder in ("understand", "check/safety", "plan/task_planning")),
        ]
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["setuptools", "PyYAML", "pydantic>=2"],
    extras_require={
        "test": ["httpx", "hypothesis", "ollama>=0.6", "pytest"],
    },
    zip_safe=False,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="Turns an instruction and what is remembered into goals and skills, and carries them out.",
    license="Apache-2.0",
    entry_points={"console_scripts": [f"planner_node = {package_name}.planner_node:main"]},
)
