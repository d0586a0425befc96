import { z } from 'zod'
import { decodeFields, fromBase64, fromUtf8, utf8 } from '../../../contract/ground/bytes.ts'
import type { OwnCertificate } from '../../rtc/certificate.ts'
import { createPeer, type Peer, type PeerStanding } from '../../rtc/peer.ts'
import type { SignalKind } from '../../worker/crypto.ts'
import { codeOf, isLive, type Link, type LiveCall, sendFrame } from './liveCall.ts'
import { pictureOf, soundOf } from './media.ts'

const stateShape = z.object({
  video: z.enum(['off', 'camera', 'screen']),
  isMuted: z.boolean(),
  isCompared: z.boolean(),
  /** Only the caller offers, so the callee asks for a restart. */
  asksRestart: z.boolean().optional(),
})
export type TellState = z.infer<typeof stateShape>

const candidatesShape = z.array(
  z.object({
    candidate: z.string(),
    sdpMid: z.string().nullish(),
    sdpMLineIndex: z.number().nullish(),
    usernameFragment: z.string().nullish(),
  }),
)

/** The contract bounds the frame. */
const CANDIDATES_MAX = 15
/** A caller whose offer is late sends fewer. */
const EARLY_MAX = 64

export interface LinkEvents {
  onStanding: (standing: PeerStanding) => void
  /** Both descriptions are proved and set. */
  onAgreed: () => void
  onState: (state: TellState) => void
  onStream: (stream: MediaStream) => void
  onForged: () => void
}

/** The seal proves the kind in front of it. */
function isOffer(sealed: string): boolean {
  try {
    const [kind] = decodeFields(fromBase64(sealed))
    return kind !== undefined && fromUtf8(kind) === 'offer'
  } catch {
    // The worker names the fault.
    return true
  }
}

/** Its signals are sealed, and opened, each after the one before. */
export function createLink(call: LiveCall, { certificate }: OwnCertificate, events: LinkEvents): Link {
  const { env, callId, peerId, attempt } = call
  let peer: Peer | undefined
  let isOver = false
  let begin: (peer: Peer) => void = () => undefined
  const started = new Promise<Peer>((resolve) => {
    begin = resolve
  })
  /** The callee has no key before the caller's offer, which carries the nonce [Note: M3]. */
  let hasDescribed = false
  let held: (() => void)[] = []
  let hasHeard = false
  const early: string[] = []
  let sealing: Promise<unknown> = Promise.resolve()
  let opening: Promise<unknown> = Promise.resolve()
  const isHere = () => !isOver && isLive(call)

  function failed(error: unknown): void {
    const code = codeOf(error)
    if (!isHere() || ['call_replayed', 'call_over', 'closed', 'vault_closed'].includes(code)) return
    if (code === 'call_forged') events.onForged()
    else globalThis.reportError?.(error)
  }

  function sends(kind: SignalKind, text: string): void {
    const isDescription = kind === 'offer' || kind === 'answer'
    if (!hasDescribed && !isDescription) return void held.push(() => sends(kind, text))
    hasDescribed = true
    const work = async () => {
      if (!isHere()) return
      const signal = await env.crypto.sealSignal({ callId, attempt, kind, payload: utf8(text) })
      if (!isHere()) return
      if (kind === 'candidates')
        sendFrame(call, { type: 'ice-candidate', data: { callId, targetUserId: peerId, attempt, candidate: signal } })
      else sendFrame(call, { type: 'call-signal', data: { callId, to: peerId, attempt, signal } })
    }
    sealing = sealing.then(work).catch(failed)
    const waiting = held
    held = []
    for (const send of waiting) send()
  }

  function sendsCandidates(candidates: RTCIceCandidateInit[]): void {
    for (let at = 0; at < candidates.length; at += CANDIDATES_MAX)
      sends('candidates', JSON.stringify(candidates.slice(at, at + CANDIDATES_MAX)))
  }

  async function takes(kind: SignalKind, text: string): Promise<void> {
    if (kind === 'state') {
      const state = stateShape.safeParse(JSON.parse(text)).data
      if (state) events.onState(state)
      return
    }
    const there = await started
    if (kind === 'candidates') {
      const candidates = candidatesShape.safeParse(JSON.parse(text)).data ?? []
      return there.addCandidates(candidates.map((one) => JSON.parse(JSON.stringify(one))))
    }
    if (kind === 'offer') sends('answer', await there.answer(text))
    else await there.takeAnswer(text)
    if (!isHere()) return
    link.isAgreed = true
    events.onAgreed()
  }

  const offer = (isRestart: boolean) => void peer?.offer({ isRestart }).then((sdp) => sends('offer', sdp), failed)

  const link: Link = {
    isAnswered: false,
    isAgreed: false,
    peer: () => peer,
    sends,

    start(iceServers) {
      if (!isHere() || peer) return
      peer = createPeer({
        ...{ iceServers, certificate, isRelayOnly: call.isRelayOnly, onCandidates: sendsCandidates },
        ...{ onStanding: (standing) => isHere() && events.onStanding(standing), onStream: events.onStream },
      })
      void peer.setTrack('audio', soundOf(call.media))
      void peer.setTrack('video', pictureOf(call.media))
      begin(peer)
      if (call.isCaller) offer(false)
    },

    restart() {
      if (!link.isAgreed) return
      // A broken socket may have lost the offer that is open.
      const open = peer?.isOffering() ? peer.connection.localDescription : null
      if (open) sends('offer', open.sdp)
      else offer(true)
    },

    takeSignal(sealed) {
      // Nothing of the caller is proved before its first offer, which a broken socket may have lost.
      if (!call.isCaller && !hasHeard && !isOffer(sealed)) {
        if (early.length < EARLY_MAX) early.push(sealed)
        return
      }
      hasHeard = true
      const work = async () => {
        if (!isHere()) return
        const { kind, payload } = await env.crypto.openSignal({ callId, attempt, sealed })
        if (isHere()) await takes(kind, fromUtf8(payload))
      }
      opening = opening.then(work).catch(failed)
      for (const next of early.splice(0)) link.takeSignal(next)
    },

    async setTrack(kind, track) {
      await peer?.setTrack(kind, track)
    },

    close() {
      isOver = true
      peer?.close()
    },
  }
  return link
}
