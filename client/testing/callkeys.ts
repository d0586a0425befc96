import { createHash } from 'node:crypto'
import { decodeFields, encodeFields, fromBase64, fromUtf8, toBase64, utf8 } from '../../contract/ground/bytes.ts'
import type { Crypto, NotedCall, OutboxRow, SignalKind } from '../worker/crypto.ts'

interface Held {
  attempt: number
  isCaller: boolean
  own: string
  /** What the other end bound; null before its answer. */
  bound: string | null
  /** Its fingerprint, once it is proved. */
  other: string | null
  sent: number
  heard: number
}

const hash = (...parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64')

class Failure extends Error {
  readonly code: string
  constructor(code: string, text = code) {
    super(text)
    this.name = 'CryptoFailure'
    this.code = code
  }
}

export const failure = (code: string, text?: string): Error => new Failure(code, text)

const fingerprintIn = (sdp: string): string => /^a=fingerprint:(.*)$/m.exec(sdp)?.[1]?.trim() ?? ''

/** The worker's verbs of calls without its keys: order, attempts and fingerprints are judged as M3 says, by words that anybody reads. */
export function standInKeys() {
  const held = new Map<string, Held>()
  const of = ({ callId, attempt }: { callId: string; attempt: number }): Held => {
    const call = held.get(callId)
    if (!call || call.attempt !== attempt) throw failure('call_over')
    return call
  }
  const state = {
    /** Thrown by the next `answerCall` or `acceptAnswer`. */
    fails: { answer: [] as Error[], accept: [] as Error[] },
    noted: new Map<string, NotedCall>(),
    lines: [] as OutboxRow[],
    differs: [] as string[],
    hidesAddress: null as boolean | null,
    holds: of,
    begin(callId: string, call: Omit<Held, 'sent' | 'heard' | 'other'>) {
      const before = held.get(callId)
      if (before && before.attempt > call.attempt) throw failure('call_over')
      held.set(callId, { ...call, other: null, sent: 0, heard: 0 })
    },
  }
  const verbs = {
    async ringCall({ callId, attempt, fingerprint }: Parameters<Crypto['ringCall']>[0]) {
      state.begin(callId, { attempt, isCaller: true, own: fingerprint, bound: null })
      return hash(callId, attempt, fingerprint)
    },
    async answerCall({ callId, attempt, fingerprint, commit }: Parameters<Crypto['answerCall']>[0]) {
      const fails = state.fails.answer.shift()
      if (fails) throw fails
      state.begin(callId, { attempt, isCaller: false, own: fingerprint, bound: commit })
      return hash(callId, attempt, fingerprint)
    },
    async acceptAnswer(input: Parameters<Crypto['acceptAnswer']>[0]) {
      const fails = state.fails.accept.shift()
      if (fails) throw fails
      const call = of(input)
      if (call.bound) throw failure('call_replayed')
      call.bound = input.answer
    },
    async sealSignal({ callId, attempt, kind, payload }: Parameters<Crypto['sealSignal']>[0]) {
      const call = of({ callId, attempt })
      // Before, the real one has no key.
      if (!call.bound || (!call.isCaller && !call.other)) throw failure('call_over')
      call.sent += 1
      return toBase64(encodeFields(kind, String(call.sent), payload))
    },
    async openSignal({ callId, attempt, sealed }: Parameters<Crypto['openSignal']>[0]) {
      const call = of({ callId, attempt })
      const [kind, number, text] = decodeFields(fromBase64(sealed)).map(fromUtf8) as [SignalKind, string, string]
      const n = Number(number)
      if (kind === 'offer' || kind === 'answer') {
        if (hash(callId, attempt, fingerprintIn(text)) !== call.bound) throw failure('call_forged')
        call.other = fingerprintIn(text)
      }
      if (!call.isCaller && !call.other) throw failure('call_forged')
      if (n <= call.heard) throw failure('call_replayed')
      call.heard = n
      return { kind, payload: utf8(text) }
    },
    async callWords(callId: string) {
      const call = held.get(callId)
      if (!call?.other) throw failure('call_over')
      const both = [call.own, call.other].sort()
      return [0, 1, 2, 3].map((at) => hash(at, ...both).slice(0, 4))
    },
    async dropCall(callId: string) {
      held.delete(callId)
    },
    async noteCall(call: NotedCall) {
      state.noted.set(call.callId, call)
    },
    async forgetCall(callId: string) {
      state.noted.delete(callId)
    },
    notedCalls: async () => [...state.noted.values()],
    async keepInOutbox(message: Parameters<Crypto['keepInOutbox']>[0]) {
      const row: OutboxRow = { ...message, order: 1, envelope: null, failure: null }
      state.lines.push(row)
      if (message.content.type === 'call') state.noted.delete(message.content.callId)
      return row
    },
    outbox: async () => [],
    readHideAddress: async () => state.hidesAddress,
    roomNeed: async () => ({ need: 'ready', cursor: 0, isPending: false, isForked: false }),
    receiveLog: async () => ({
      ...{ needsPeers: false, mustEnter: false, hasGap: false, isJoined: true, after: 0, cursor: 0, from: 0, opened: [] },
      ...{ forks: [], newerManifests: {}, unknownLists: {}, ownManifest: 0, ownBook: 0, missing: [], unaudited: [] },
    }),
    compareAccounts: async () => [],
    sealBook: async () => null,
    safetyNumber: async () => ({ identityKey: 'a key' }),
    async setVerified({ userId, differs }: { userId: string; differs: boolean }) {
      if (differs) state.differs.push(userId)
    },
  }
  return { state, crypto: verbs as unknown as Crypto }
}
