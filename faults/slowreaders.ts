import { percentile } from '../bench/numbers.ts'
import { CLOSE } from '../contract/frames.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome } from './fault.ts'
import { type Ground, onGround } from './ground.ts'
import { growthMb, rssMb } from './memory.ts'
import { postOnce } from './once.ts'
import { closeCodeOf, openRawSocket, type Raw } from './raw.ts'
import { type History, now } from './recorder.ts'

const LOADED = 8
const EACH = LIMITS.socketsPerUser
const TEXT_CHARS = 60_000
/** Messages per socket: enough to fill both ends' kernel buffers and more than the server may buffer. */
const MESSAGES = 120
const REST_MS = 5
/** Added to the bound of p99 for delays of a busy machine. */
const NOISE_MS = 50
const GROWTH_MB = 300
const END_MS = 20_000

/** Opens sockets that do not read: they delay no other client, and the server closes each one above 1 MB of unsent data. */
export function slowReaders({ isShort }: Form): Promise<Outcome> {
  const crowds = isShort ? 2 : 10
  return onGround({ pairs: LOADED + crowds, loaded: LOADED }, async (ground) => {
    const { server, history } = ground
    const readers = await openCrowd(ground)
    const before = rssMb(server.pid())
    const usual = await flood(ground)
    for (const { socket } of readers) socket.destroy()
    await Promise.all(readers.map(({ ended }) => ended))

    const slow = await openCrowd(ground)
    for (const { socket } of slow) socket.pause()
    const disturbed = await flood(ground)
    const most = rssMb(server.pid())
    for (const { socket } of slow) socket.resume()
    const codes = await Promise.all(slow.map((raw) => closeCodeOf(raw, END_MS)))
    const closed = codes.filter((code) => code === CLOSE.tooSlow).length
    const [p50, p99] = [latency(history, disturbed, 50), latency(history, disturbed, 99)]
    const [usualP50, usualP99] = [latency(history, usual, 50), latency(history, usual, 99)]
    return {
      faults: slow.length,
      summary: `${closed} of ${slow.length} closed; to the others p50 ${p50.toFixed(0)} and p99 ${p99.toFixed(0)} ms (with readers ${usualP50.toFixed(0)} and ${usualP99.toFixed(0)} ms), ${growthMb(before, most)}`,
      complaints: [
        ...must(closed === slow.length, `${slow.length - closed} slow readers were not closed as too slow`),
        ...atMost('p99 of the others', p99, 2 * usualP99 + NOISE_MS, 'ms'),
        ...atMost('memory', most - before, GROWTH_MB * (isShort ? 1 : 2), 'MB'),
      ],
    }
  })
}

/** Opens the maximum number of sockets for one member of each room that is not under load. */
async function openCrowd({ port, pairs }: Ground): Promise<Raw[]> {
  const seeded = pairs.slice(LOADED).flatMap(({ receiver }) => Array.from({ length: EACH }, () => receiver))
  return await Promise.all(seeded.map(({ cookie }) => openRawSocket(port, cookie)))
}

/** Sends long messages to those rooms. Returns the start and end of the flood. */
async function flood({ port, pairs, history }: Ground): Promise<{ from: number; to: number }> {
  const from = now()
  await Promise.all(
    pairs.slice(LOADED).map(async (pair) => {
      for (let count = 0; count < MESSAGES; count++) {
        await postOnce(port, pair, TEXT_CHARS, history)
        await pause(REST_MS)
      }
    }),
  )
  return { from, to: now() }
}

/** A percentile of the time from sending to the receiver's frame, in ms, of the load's messages sent in that period. */
function latency({ attempts, frames }: History, { from, to }: { from: number; to: number }, percent: number): number {
  const begun = new Map(
    attempts.filter(({ startedAt }) => startedAt >= from && startedAt < to).map((each) => [each.id, each.startedAt]),
  )
  const times = frames.flatMap(({ userId, at, entry }) => {
    const startedAt = begun.get(entry.id)
    return startedAt === undefined || userId === entry.senderId ? [] : [at - startedAt]
  })
  return percentile(times, percent)
}
