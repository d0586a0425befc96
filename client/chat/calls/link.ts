import { z } from 'zod'
import type { OwnCertificate } from '../../rtc/certificate.ts'
import { createMediaPeer } from '../../rtc/mediaPeer.ts'
import type { PeerStanding } from '../../rtc/peer.ts'
import { isLive, type Link, type LiveCall, sendFrame } from './liveCall.ts'
import { pictureOf, soundOf } from './media.ts'
import { createSealedLink } from './sealedLink.ts'

const stateShape = z.object({
  video: z.enum(['off', 'camera', 'screen']),
  isMuted: z.boolean(),
  isCompared: z.boolean(),
  /** Only the caller offers, so the callee asks for a restart. */
  asksRestart: z.boolean().optional(),
})
export type TellState = z.infer<typeof stateShape>

export interface LinkEvents {
  onStanding: (standing: PeerStanding) => void
  /** Both descriptions are proved and set. */
  onAgreed: () => void
  onState: (state: TellState) => void
  onStream: (stream: MediaStream) => void
  onForged: () => void
}

export function createLink(call: LiveCall, { certificate }: OwnCertificate, events: LinkEvents): Link {
  const { env, callId, peerId, attempt, isCaller } = call
  const link = createSealedLink({
    ...{ env, name: { callId, attempt }, isCaller, isHere: () => isLive(call) },
    makePeer(iceServers, onCandidates) {
      const peer = createMediaPeer({
        ...{ iceServers, certificate, isRelayOnly: call.isRelayOnly, onCandidates },
        ...{ onStanding: (standing) => link.isHere() && events.onStanding(standing), onStream: events.onStream },
      })
      void peer.setTrack('audio', soundOf(call.media))
      void peer.setTrack('video', pictureOf(call.media))
      return peer
    },
    send(kind, signal) {
      if (kind === 'candidates')
        sendFrame(call, { type: 'ice-candidate', data: { callId, targetUserId: peerId, attempt, candidate: signal } })
      else sendFrame(call, { type: 'call-signal', data: { callId, to: peerId, attempt, signal } })
    },
    onState(json) {
      const state = stateShape.safeParse(json).data
      if (state) events.onState(state)
    },
    ...{ onAgreed: events.onAgreed, onForged: events.onForged },
  })
  return Object.assign(link, {
    async setTrack(...[kind, track]: Parameters<Link['setTrack']>) {
      await link.peer()?.setTrack(kind, track)
    },
  })
}
