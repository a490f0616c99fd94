# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_memory"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={package_name: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    python_requires=">=3.11",
    install_requires=["karma-language==0.2.0", "networkx>=3.2", "numpy>=1.26,<2.5", "pydantic>=2"],
    extras_require={
        # More of what people say is understood.
        "parser": ["karma-language[parser]==0.2.0"],
        # Recall by meaning, not by words alone.
        "embeddings": ["karma-language[embeddings]==0.2.0"],
        # A language model reads what rules don't, and thinks about each task that has ended; none is asked by default.
        "model": ["karma-language[model]==0.2.0"],
        # One journal of several robots, in PostgreSQL.
        "postgresql": ["psycopg[binary]>=3.2"],
        # Recall by meaning from more than 200,000 texts: by an index that approximates.
        "approximate": ["onnxruntime>=1.18", "usearch>=2"],
        # Any other model of sentence-transformers that the user names.
        "sentence-transformers": ["sentence-transformers>=3"],
        # With ROS: events to rosbag2 and back.
        "bag": ["rosbags>=0.11", "apsw"],
        "test": ["hypothesis", "pytest", "scipy"],
    },
    zip_safe=True,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="What the robot remembers: journal, long-term and short-term memory, and one recall over all of them.",
    license="Apache-2.0",
    entry_points={"console_scripts": [f"memory_node = {package_name}.memory_node:main"]},
)
