import { createPeer, type PeerOptions } from './peer.ts'

export type MediaKind = 'audio' | 'video'

const KINDS = ['audio', 'video'] as const

export interface MediaOptions extends PeerOptions {
  /** One stream. */
  onStream: (stream: MediaStream) => void
}

export type MediaPeer = ReturnType<typeof createMediaPeer>

/** Both kinds of media are agreed upon once, so a camera comes and goes without another offer. */
export function createMediaPeer({ onStream, ...options }: MediaOptions) {
  const stream = new MediaStream()
  const tracks: Record<MediaKind, MediaStreamTrack | null> = { audio: null, video: null }
  const transceivers = () => peer.connection.getTransceivers()
  const senderOf = (kind: MediaKind) => transceivers().find(({ receiver }) => receiver.track.kind === kind)?.sender
  const attach = () => Promise.all(KINDS.map((kind) => senderOf(kind)?.replaceTrack(tracks[kind])))

  const peer = createPeer(options, (connection) => {
    connection.ontrack = ({ track }) => {
      stream.addTrack(track)
      onStream(stream)
    }
    return {
      onOffer() {
        for (const kind of KINDS) connection.addTransceiver(kind, { direction: 'sendrecv' })
        return attach()
      },
      onAnswer() {
        for (const transceiver of connection.getTransceivers()) transceiver.direction = 'sendrecv'
        return attach()
      },
      onClose() {
        connection.ontrack = null
      },
    }
  })

  return {
    ...peer,
    /** null sends nothing, not even black frames. */
    async setTrack(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
      tracks[kind] = track
      await senderOf(kind)?.replaceTrack(track)
    },
  }
}
