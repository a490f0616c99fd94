# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A keystore as sros2 lays it out: a certificate authority, and for each enclave a key, a certificate and permissions.

After the DDS Security specification, 1.1, sections 8.4 and 9.4. `sros2` itself is on no package index.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

from karma.secure.policy import Policy, Use

Tree = Mapping[str, Any]
Key = ec.EllipticCurvePrivateKey
LASTS = timedelta(days=3650)
_AUTHORITY = "sros2CA"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMAS = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_{}.xsd"
_DOMAINS: Tree = {"domains": {"id_range": {"min": "0", "max": "232"}}}
_EVERYBODY = (
    *(Use("topic", how, name) for how in ("publish", "subscribe") for name in ("/rosout", "/parameter_events")),
    Use("topic", "subscribe", "/clock"),
)
"""What rclpy uses in every node."""
_ENABLED = ("discovery_protection", "liveliness_protection", "read_access_control", "write_access_control")
_GOVERNANCE: Tree = {
    **_DOMAINS,
    "allow_unauthenticated_participants": "false",
    "enable_join_access_control": "true",
    **dict.fromkeys(("discovery_protection_kind", "liveliness_protection_kind"), "ENCRYPT"),
    "rtps_protection_kind": "SIGN",
    "topic_access_rules": {
        "topic_rule": {
            "topic_expression": "*",
            **{f"enable_{what}": "true" for what in _ENABLED},
            **dict.fromkeys(("metadata_protection_kind", "data_protection_kind"), "ENCRYPT"),
        }
    },
}
"""Who has no key takes no part, and nobody else reads anything."""


class Keystore:
    """A folder of keys. What is there already stays; permissions are written anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.policy = folder / "policy.xml"
        self._ca_key, self._ca_cert = folder / "private" / "ca.key.pem", folder / "public" / "ca.cert.pem"

    def write(self, policy: Policy) -> None:
        """Make what is missing, and sign what each enclave may do. OSError."""
        enclaves = self.folder / "enclaves"
        for part in (self._ca_key.parent, self._ca_cert.parent, enclaves):
            part.mkdir(parents=True, exist_ok=True)
        os.chmod(self._ca_key.parent, 0o700)
        if not self._ca_key.exists():
            key = ec.generate_private_key(ec.SECP256R1())
            _write_key(self._ca_key, key)
            self._ca_cert.write_bytes(_pem(_certificate(_AUTHORITY, key, None)))
        for kind in ("identity_ca", "permissions_ca"):
            _link(self._ca_key.parent / f"{kind}.key.pem", "ca.key.pem")
            _link(self._ca_cert.parent / f"{kind}.cert.pem", "ca.cert.pem")
        rules: Tree = {"domain_access_rules": {"domain_rule": _GOVERNANCE}}
        self._sign(enclaves / "governance.xml", _document("governance", rules))
        for name, uses in policy.items():
            self._enclave(enclaves / name.strip("/"), name, uses)

    def _enclave(self, place: Path, name: str, uses: Iterable[Use]) -> None:
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "cert.pem").exists():
            key = ec.generate_private_key(ec.SECP256R1())
            _write_key(place / "key.pem", key)
            authority = (x509.load_pem_x509_certificate(self._ca_cert.read_bytes()), self._authority())
            (place / "cert.pem").write_bytes(_pem(_certificate(name, key, authority)))
        for kind in ("identity_ca", "permissions_ca"):
            _link(place / f"{kind}.cert.pem", os.path.relpath(self._ca_cert.parent / f"{kind}.cert.pem", place))
        _link(place / "governance.p7s", os.path.relpath(self.folder / "enclaves" / "governance.p7s", place))
        self._sign(place / "permissions.xml", permissions(name, uses))

    def _authority(self) -> Key:
        key = serialization.load_pem_private_key(self._ca_key.read_bytes(), None)
        assert isinstance(key, Key)
        return key

    def _sign(self, path: Path, text: str) -> None:
        """Write a file, and beside it the same signed by the authority (S/MIME)."""
        path.write_text(text, encoding="utf-8")
        certificate = x509.load_pem_x509_certificate(self._ca_cert.read_bytes())
        signer = pkcs7.PKCS7SignatureBuilder().set_data(text.encode())
        signed = signer.add_signer(certificate, self._authority(), hashes.SHA256()).sign(
            serialization.Encoding.SMIME, [pkcs7.PKCS7Options.Text, pkcs7.PKCS7Options.DetachedSignature]
        )
        path.with_suffix(".p7s").write_bytes(signed)


def permissions(name: str, uses: Iterable[Use]) -> str:
    """Return what an enclave may do in the terms of DDS; nothing else."""
    now = datetime.now(UTC)
    ways = [{(way, "ros_discovery_info") for way in ("publish", "subscribe")}, *map(_dds, (*uses, *_EVERYBODY))]
    topics = sorted(set().union(*ways))
    grant: Tree = {
        "subject_name": f"CN={name}",
        "validity": {
            "not_before": (now - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S"),
            "not_after": (now + LASTS).strftime("%Y-%m-%dT%H:%M:%S"),
        },
        "allow_rule": {
            **_DOMAINS,
            **{
                way: {"topics": {"topic": [one for how, one in topics if how == way]}}
                for way in ("publish", "subscribe")
            },
        },
        "default": "DENY",
    }
    return _document("permissions", {"permissions": {f"grant name={quoteattr(name)}": grant}})


def _dds(use: Use) -> set[tuple[str, str]]:
    """Return the DDS topics that something of ROS needs, and whether they are published or subscribed."""
    if use.kind == "topic":
        return {(use.how, f"rt{use.name}")}
    asks, answers = ("publish", "subscribe") if use.how == "request" else ("subscribe", "publish")
    if use.kind == "service":
        return {(asks, f"rq{use.name}Request"), (answers, f"rr{use.name}Reply")}
    parts = [f"{use.name}/_action/{name}" for name in ("send_goal", "cancel_goal", "get_result")]
    said = {(answers, f"rt{use.name}/_action/{name}") for name in ("feedback", "status")}
    return said.union(*(_dds(Use("service", use.how, part)) for part in parts))


def _document(schema: str, content: Tree) -> str:
    return f'<dds xmlns:xsi="{_XSI}" xsi:noNamespaceSchemaLocation="{_SCHEMAS.format(schema)}">{_xml(content)}</dds>\n'


def _xml(content: Tree) -> str:
    """Return a tree as XML: tags and attributes → text, tree, or a list of these."""
    return "".join(
        f"<{tag}>{escape(one) if isinstance(one, str) else _xml(one)}</{tag.partition(' ')[0]}>"
        for tag, value in content.items()
        for one in (value if isinstance(value, list) else [value])
    )


def _certificate(name: str, key: Key, authority: tuple[x509.Certificate, Key] | None) -> x509.Certificate:
    """Return a certificate for a name, signed by the authority; None: by itself."""
    subject, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), datetime.now(UTC)
    issuer = subject if authority is None else authority[0].subject
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LASTS)
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=1 if authority is None else None), True)
        .sign(key if authority is None else authority[1], hashes.SHA256())
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _write_key(path: Path, key: Key) -> None:
    """Write a key that only its owner may read, from the first byte on."""
    plain = serialization.NoEncryption()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))


def _link(path: Path, target: str) -> None:
    if not path.is_symlink():
        path.symlink_to(target)
