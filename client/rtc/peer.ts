import { bundleCandidates, type IceServer, usableServers } from './ice.ts'

export type MediaKind = 'audio' | 'video'

/** `disconnected` may heal. */
export type PeerStanding = 'connecting' | 'connected' | 'disconnected' | 'failed'

export interface PeerEvents {
  onCandidates: (candidates: RTCIceCandidateInit[]) => void
  onStanding: (standing: PeerStanding) => void
  /** One stream. */
  onStream: (stream: MediaStream) => void
}

export interface PeerOptions extends PeerEvents {
  iceServers: readonly IceServer[]
  isRelayOnly: boolean
  certificate: RTCCertificate
}

export type Peer = ReturnType<typeof createPeer>

/**
 * Only the caller offers, at first and to restart: where both may, some calls hang for ever. Both kinds of media are agreed upon once, so a
 * camera comes and goes without another offer.
 */
export function createPeer({ iceServers, isRelayOnly, certificate, onCandidates, onStanding, onStream }: PeerOptions) {
  const connection = new RTCPeerConnection({
    iceServers: usableServers(iceServers),
    iceTransportPolicy: isRelayOnly ? 'relay' : 'all',
    certificates: [certificate],
    bundlePolicy: 'max-bundle',
  })
  const stream = new MediaStream()
  const tracks: Record<MediaKind, MediaStreamTrack | null> = { audio: null, video: null }
  const bundle = bundleCandidates((candidates) => connection.signalingState === 'closed' || onCandidates(candidates))
  let early: RTCIceCandidateInit[] = []
  let last: Promise<unknown> = Promise.resolve()

  connection.onicecandidate = ({ candidate }) => candidate?.candidate && bundle.add(candidate.toJSON())
  connection.onconnectionstatechange = () => {
    const { connectionState } = connection
    if (connectionState === 'closed') return
    onStanding(connectionState === 'new' ? 'connecting' : connectionState)
  }
  connection.ontrack = ({ track }) => {
    stream.addTrack(track)
    onStream(stream)
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }

  const senderOf = (kind: MediaKind) => connection.getTransceivers().find(({ receiver }) => receiver.track.kind === kind)?.sender

  const attach = () => Promise.all((['audio', 'video'] as const).map((kind) => senderOf(kind)?.replaceTrack(tracks[kind])))

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
        if (connection.getTransceivers().length === 0) {
          for (const kind of ['audio', 'video'] as const) connection.addTransceiver(kind, { direction: 'sendrecv' })
          await attach()
        }
        return describe(await connection.createOffer({ iceRestart: isRestart }))
      }),

    answer: (sdp: string): Promise<string> =>
      inTurn(async () => {
        await takeRemote({ type: 'offer', sdp })
        for (const transceiver of connection.getTransceivers()) transceiver.direction = 'sendrecv'
        await attach()
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

    /** null sends nothing, not even black frames. */
    async setTrack(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
      tracks[kind] = track
      await senderOf(kind)?.replaceTrack(track)
    },

    setServers(servers: readonly IceServer[]): void {
      if (connection.signalingState !== 'closed')
        connection.setConfiguration({ ...connection.getConfiguration(), iceServers: usableServers(servers) })
    },

    isOffering: (): boolean => connection.signalingState === 'have-local-offer',

    close(): void {
      bundle.stop()
      connection.onicecandidate = null
      connection.onconnectionstatechange = null
      connection.ontrack = null
      connection.close()
    },
  }
}
