# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_language"

setup(
    name=package_name,
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["setuptools", "httpx", "ollama>=0.6", "openai>=2,<3", "pydantic>=2"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="What people say to the robot: the client of language models. A library without ROS.",
    license="Apache-2.0",
)
