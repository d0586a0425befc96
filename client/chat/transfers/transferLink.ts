import { z } from 'zod'
import type { OwnCertificate } from '../../rtc/certificate.ts'
import { createDataPeer, type DataPeer } from '../../rtc/channelPeer.ts'
import type { PeerStanding } from '../../rtc/peer.ts'
import { createSealedLink } from '../calls/sealedLink.ts'
import { isCurrent, type LiveTransfer, type Mover, type TransferLink } from './liveTransfer.ts'

/** Chunks that are lost are asked for again, which takes less than the network's repair of each. */
const RETRANSMITS_MAX = 3

const stateShape = z.object({ asksRestart: z.boolean() })

export interface LinkEvents {
  onStanding: (standing: PeerStanding) => void
  onAgreed: () => void
  onOpen: () => void
  onClosed: () => void
  /** Only the receiver offers, so the sender asks for a restart. */
  onRestart: () => void
  onForged: () => void
  makeMover: (channels: DataPeer['channels']) => Mover
}

export function createTransferLink(one: LiveTransfer, { certificate }: OwnCertificate, events: LinkEvents): TransferLink {
  const { env, transferId, peerId, attempt, isMine } = one
  let mover: Mover | undefined
  const ifHere = (work: () => void) => () => void (link.isHere() && work())
  const link = createSealedLink({
    ...{ env, name: { callId: transferId, attempt, subject: 'transfer' as const } },
    ...{ isCaller: !isMine, isHere: () => isCurrent(one, attempt) },
    makePeer(iceServers, onCandidates) {
      const peer = createDataPeer({
        ...{ iceServers, certificate, isRelayOnly: one.isRelayOnly, onCandidates },
        onStanding: (standing) => link.isHere() && events.onStanding(standing),
        channels: [
          { label: 'control', onMessage: (text) => typeof text === 'string' && link.isHere() && mover?.onControl(text) },
          {
            ...{ label: 'chunks', maxRetransmits: RETRANSMITS_MAX },
            onMessage: (frame) => typeof frame !== 'string' && link.isHere() && mover?.onChunk(frame),
          },
        ],
        onOpen: ifHere(() => {
          events.onOpen()
          mover?.onOpen()
        }),
        onClosed: ifHere(events.onClosed),
      })
      mover = events.makeMover(peer.channels)
      return peer
    },
    send: (_, signal) => env.socket.send({ type: 'transfer-signal', data: { transferId, to: peerId, attempt, signal } }),
    onState: (json) => stateShape.safeParse(json).data?.asksRestart && events.onRestart(),
    ...{ onAgreed: events.onAgreed, onForged: events.onForged },
  })
  const close = link.close
  return Object.assign(link, {
    mover: () => mover,
    isConnected: () =>
      link.peer()?.connection.connectionState === 'connected' &&
      link.peer()?.channels.every((channel) => channel.isOpen()) === true,
    close() {
      close()
      mover?.stop()
    },
  })
}
