# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_memory"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed", "*/*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    install_requires=["setuptools", "networkx>=3.2", "numpy>=1.26,<2.5", "scipy"],
    extras_require={
        # Events to rosbag2 and back.
        "bag": ["rosbags>=0.11", "apsw"],
        # Recall by meaning from an index that approximates.
        "approximate": ["onnxruntime>=1.18", "usearch>=2"],
        # Reflection, profiles, preferences and facts by a language model (karma_language); by default none is asked.
        "model": ["pydantic>=2"],
        # The journal in PostgreSQL.
        "postgresql": ["psycopg[binary]>=3.2"],
        # Any other model of sentence-transformers that the user names.
        "sentence-transformers": ["sentence-transformers>=3"],
        "test": ["hypothesis", "pytest"],
    },
    zip_safe=True,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="What the robot remembers: journal, long-term and short-term memory, and one recall over all of them.",
    license="Apache-2.0",
    entry_points={"console_scripts": [f"memory_node = {package_name}.memory_node:main"]},
)
