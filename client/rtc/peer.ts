import { bundleCandidates, type IceServer, usableServers } from './ice.ts'

/** `disconnected` may heal. */
export type PeerStanding = 'connecting' | 'connected' | 'disconnected' | 'failed'

export interface PeerOptions {
  iceServers: readonly IceServer[]
  isRelayOnly: boolean
  certificate: RTCCertificate
  onCandidates: (candidates: RTCIceCandidateInit[]) => void
  onStanding: (standing: PeerStanding) => void
}

/** What goes over a connection: media or data. */
export interface Carried {
  /** Before the first offer. */
  onOffer: () => Promise<unknown>
  /** The other end's offer is set, its answer is not made. */
  onAnswer: () => Promise<unknown>
  onClose: () => void
}

export type Peer = ReturnType<typeof createPeer>

/**
 * Only one end offers, at first and to restart: where both may, some connections hang for ever.
 */
export function createPeer(
  { iceServers, isRelayOnly, certificate, onCandidates, onStanding }: PeerOptions,
  carries: (connection: RTCPeerConnection) => Carried,
) {
  const connection = new RTCPeerConnection({
    iceServers: usableServers(iceServers),
    iceTransportPolicy: isRelayOnly ? 'relay' : 'all',
    certificates: [certificate],
    bundlePolicy: 'max-bundle',
  })
  const carried = carries(connection)
  const bundle = bundleCandidates((candidates) => connection.signalingState === 'closed' || onCandidates(candidates))
  let hasOffered = false
  let early: RTCIceCandidateInit[] = []
  let last: Promise<unknown> = Promise.resolve()

  connection.onicecandidate = ({ candidate }) => candidate?.candidate && bundle.add(candidate.toJSON())
  connection.onconnectionstatechange = () => {
    const { connectionState } = connection
    if (connectionState === 'closed') return
    onStanding(connectionState === 'new' ? 'connecting' : connectionState)
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }

  async function describe(description: RTCSessionDescriptionInit): Promise<string> {
    await connection.setLocalDescription(description)
    return description.sdp ?? ''
  }

  async function takeRemote(description: RTCSessionDescriptionInit): Promise<void> {
    await connection.setRemoteDescription(description)
    const waiting = early
    early = []
    for (const candidate of waiting) await addCandidate(candidate)
  }

  // Browsers refuse those of an earlier restart.
  const addCandidate = (candidate: RTCIceCandidateInit) => connection.addIceCandidate(candidate).catch(() => undefined)

  return {
    connection,

    offer: ({ isRestart = false } = {}): Promise<string> =>
      inTurn(async () => {
        if (!hasOffered) await carried.onOffer()
        hasOffered = true
        return describe(await connection.createOffer({ iceRestart: isRestart }))
      }),

    answer: (sdp: string): Promise<string> =>
      inTurn(async () => {
        await takeRemote({ type: 'offer', sdp })
        await carried.onAnswer()
        return describe(await connection.createAnswer())
      }),

    takeAnswer: (sdp: string): Promise<void> =>
      inTurn(async () => {
        if (connection.signalingState === 'have-local-offer') await takeRemote({ type: 'answer', sdp })
      }),

    addCandidates: (candidates: RTCIceCandidateInit[]): Promise<void> =>
      inTurn(async () => {
        if (connection.remoteDescription) for (const candidate of candidates) await addCandidate(candidate)
        else early.push(...candidates)
      }),

    setServers(servers: readonly IceServer[]): void {
      if (connection.signalingState !== 'closed')
        connection.setConfiguration({ ...connection.getConfiguration(), iceServers: usableServers(servers) })
    },

    isOffering: (): boolean => connection.signalingState === 'have-local-offer',

    close(): void {
      bundle.stop()
      connection.onicecandidate = null
      connection.onconnectionstatechange = null
      carried.onClose()
      connection.close()
    },
  }
}
