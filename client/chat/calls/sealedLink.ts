import { z } from 'zod'
import { decodeFields, fromBase64, fromUtf8, utf8 } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import type { IceServer } from '../../rtc/ice.ts'
import type { Peer } from '../../rtc/peer.ts'
import type { SignalKind } from '../../worker/crypto.ts'
import { codeOf } from './codeOf.ts'

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

/** Nothing that needs the person's eyes: the attempt is over. */
const PASSING = ['call_replayed', 'call_over', 'closed', 'vault_closed']

interface Options<P extends Peer> {
  env: Env
  name: { callId: string; attempt: number; subject?: 'transfer' }
  /** The caller offers. */
  isCaller: boolean
  /** False: nothing more is taken or sent. */
  isHere: () => boolean
  makePeer: (iceServers: readonly IceServer[], onCandidates: (candidates: RTCIceCandidateInit[]) => void) => P
  /** Sealed. */
  send: (kind: SignalKind, signal: string) => void
  /** Both descriptions are proved and set. */
  onAgreed: () => void
  /** JSON of the other end. */
  onState: (state: unknown) => void
  onForged: () => void
}

export type SealedLink<P extends Peer> = ReturnType<typeof createSealedLink<P>>

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

/** Its signals are sealed, and opened, each after the one before [Note: M3]. */
export function createSealedLink<P extends Peer>({ env, name, isCaller, ...options }: Options<P>) {
  let peer: P | undefined
  let isOver = false
  let begin: (peer: P) => void = () => undefined
  const started = new Promise<P>((resolve) => {
    begin = resolve
  })
  /** The callee has no key before the caller's offer, which carries the nonce [Note: M3]. */
  let hasDescribed = false
  let held: (() => void)[] = []
  let hasHeard = false
  const early: string[] = []
  let sealing: Promise<unknown> = Promise.resolve()
  let opening: Promise<unknown> = Promise.resolve()
  const isHere = () => !isOver && options.isHere()

  function failed(error: unknown): void {
    const code = codeOf(error)
    if (!isHere() || PASSING.includes(code)) return
    if (code === 'call_forged') options.onForged()
    else globalThis.reportError?.(error)
  }

  function sends(kind: SignalKind, text: string): void {
    const isDescription = kind === 'offer' || kind === 'answer'
    if (!hasDescribed && !isDescription) return void held.push(() => sends(kind, text))
    hasDescribed = true
    const work = async () => {
      if (!isHere()) return
      const signal = await env.crypto.sealSignal({ ...name, kind, payload: utf8(text) })
      if (isHere()) options.send(kind, signal)
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
    if (kind === 'state') return options.onState(JSON.parse(text))
    const there = await started
    if (kind === 'candidates') {
      const candidates = candidatesShape.safeParse(JSON.parse(text)).data ?? []
      return there.addCandidates(candidates.map((one) => JSON.parse(JSON.stringify(one))))
    }
    if (kind === 'offer') sends('answer', await there.answer(text))
    else await there.takeAnswer(text)
    if (!isHere()) return
    link.isAgreed = true
    options.onAgreed()
  }

  const offer = (isRestart: boolean) => void peer?.offer({ isRestart }).then((sdp) => sends('offer', sdp), failed)

  const link = {
    isAnswered: false,
    isAgreed: false,
    /** undefined before the answer. */
    peer: () => peer,
    isHere,
    sends,

    start(iceServers: readonly IceServer[]): void {
      if (!isHere() || peer) return
      peer = options.makePeer(iceServers, sendsCandidates)
      begin(peer)
      if (isCaller) offer(false)
    },

    restart(): void {
      if (!link.isAgreed) return
      // A broken socket may have lost the offer that is open.
      const open = peer?.isOffering() ? peer.connection.localDescription : null
      if (open) sends('offer', open.sdp)
      else offer(true)
    },

    takeSignal(sealed: string): void {
      // Nothing of the caller is proved before its first offer, which a broken socket may have lost.
      if (!isCaller && !hasHeard && !isOffer(sealed)) {
        if (early.length < EARLY_MAX) early.push(sealed)
        return
      }
      hasHeard = true
      const work = async () => {
        if (!isHere()) return
        const { kind, payload } = await env.crypto.openSignal({ ...name, sealed })
        if (isHere()) await takes(kind, fromUtf8(payload))
      }
      opening = opening.then(work).catch(failed)
      for (const next of early.splice(0)) link.takeSignal(next)
    },

    close(): void {
      isOver = true
      peer?.close()
    },
  }
  return link
}
