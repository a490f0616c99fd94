# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_view"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed", "templates/*.jinja"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=[
        "jinja2",
        "msgspec",
        "numpy",
        "pillow",
        "rich",
        "setuptools",
        "viser==1.1.1",
        "websockets>=15",
        "zstandard",
    ],
    extras_require={"test": ["hypothesis", "pytest"]},
    zip_safe=False,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="The page in the browser: home, robot, memory and plans, live; library and node.",
    license="Apache-2.0",
    entry_points={"console_scripts": [f"view = {package_name}.view_node:main"]},
)
