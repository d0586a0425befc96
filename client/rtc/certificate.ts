export interface OwnCertificate {
  certificate: RTCCertificate
  /** As in SDP: "sha-256 AB:CD:..." */
  fingerprint: string
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' }

/** Ring and answer commit to its fingerprint [Note: M3]. */
export async function makeCertificate(): Promise<OwnCertificate> {
  const certificate = await RTCPeerConnection.generateCertificate(ECDSA)
  return { certificate, fingerprint: await fingerprintOf(certificate) }
}

async function fingerprintOf(certificate: RTCCertificate): Promise<string> {
  const known = certificate.getFingerprints?.().find(({ algorithm }) => algorithm === 'sha-256')?.value
  if (known) return `sha-256 ${known.toUpperCase()}`
  // Firefox tells it in descriptions only.
  const asked = new RTCPeerConnection({ certificates: [certificate] })
  try {
    asked.addTransceiver('audio')
    const { sdp = '' } = await asked.createOffer()
    const written = /^a=fingerprint:sha-256 ([0-9A-F:]+)/im.exec(sdp)?.[1]
    if (!written) throw new Error('The certificate has no fingerprint')
    return `sha-256 ${written.toUpperCase()}`
  } finally {
    asked.close()
  }
}
