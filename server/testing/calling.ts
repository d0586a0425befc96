import { randomBytes, randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { CallType } from '../../contract/chat/calllimits.ts'
import type { ServerFrame } from '../../contract/frames.ts'
import type { Browser } from './browser.ts'
import type { TestSocket } from './socket.ts'
import type { World } from './world.ts'

export const bytes = (count: number): string => randomBytes(count).toString('base64')

/** A browser that says and hears frames of calls and direct transfers. */
export interface Caller extends TestSocket {
  userId: string
  /** Rings, and returns the call's id. */
  rings(to: string, more?: { callId?: string; attempt?: number; callType?: CallType; signal?: string }): string
  answers(callId: string, to: string, attempt?: number): void
  /** Says one of the shorter frames. */
  sends(type: string, data: Record<string, unknown>): void
  beats(callId: string): void
  /** Resolves once everything that this socket has said was handled, and everything that was sent to it is here. */
  settles(): Promise<void>
  /** Frames of calls and transfers that came since the last look. */
  news(): ServerFrame[]
}

const isOfCall = ({ type }: ServerFrame) => /^(call-|transfer-|ice-candidate$|refused$)/.test(type)
/** A call that never was. */
const noCall = () => ({ callId: randomUUID(), to: randomUUID(), attempt: 1, signal: 'YQ==' })

/** Opens a socket, at `path`, for the test or the file. */
export async function opensLine(who: Browser, userId: string, path?: string): Promise<Caller> {
  const line = await who.opensSocket({}, path)
  onTestFinished(() => line.hangsUp())
  await line.hears('hello')
  let looked = 0
  const asked = new Set<string | null>()
  const sends = (type: string, data: Record<string, unknown>) => line.says({ type, data })
  return {
    ...line,
    ...{ userId, sends },
    rings(to, { callId = randomUUID(), attempt = 1, callType = 'voice', signal = bytes(32) } = {}) {
      sends('call-offer', { callId, to, attempt, callType, signal })
      return callId
    },
    answers: (callId, to, attempt = 1) => sends('call-answer', { callId, to, attempt, signal: bytes(64) }),
    beats: (callId) => sends('call-beat', { callId }),
    async settles() {
      const data = noCall()
      asked.add(data.callId)
      sends('call-signal', data)
      await line.hears('refused', (frame) => frame.data.id === data.callId)
    },
    news() {
      const isAsked = (frame: ServerFrame) => frame.type === 'refused' && asked.has(frame.data.id)
      const frames = line.frames.slice(looked).filter((frame) => isOfCall(frame) && !isAsked(frame))
      looked = line.frames.length
      return frames
    },
  }
}

/** Both have accepted each other; each has a socket. */
export async function pairOnLine(
  world: World,
  callerTier: 'premium' | 'test' = 'premium',
  calleeTier: 'premium' | 'free' = 'premium',
) {
  const [alice, bob] = [await world.person('alice', callerTier), await world.person('bob', calleeTier)]
  const chatRoomId = await alice.talksTo(bob)
  return { alice, bob, chatRoomId, hers: await opensLine(alice, alice.id), his: await opensLine(bob, bob.id) }
}

/** They are in a call. */
export async function inCall(hers: Caller, his: Caller, callType: CallType = 'voice'): Promise<string> {
  const callId = hers.rings(his.userId, { callType })
  await his.hears('call-offer', ({ data }) => data.callId === callId)
  his.answers(callId, hers.userId)
  await hers.hears('call-answer', ({ data }) => data.callId === callId)
  return callId
}

/** Time goes by with a beat of both every ten seconds. */
export async function talksFor(world: World, seconds: number, callId: string, lines: Caller[]): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    world.passes(Math.min(10, left))
    if (left >= 10) for (const line of lines) line.beats(callId)
    await Promise.all(lines.map((line) => line.settles()))
    await world.calls.look()
  }
}
