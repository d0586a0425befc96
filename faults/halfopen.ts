import { inDatabase } from '../bench/ground.ts'
import { PERIODS } from '../contract/ground/limits.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, seconds } from './fault.ts'
import { onGround } from './ground.ts'
import { openRawSocket } from './raw.ts'
import { now } from './recorder.ts'

const LOADED = 2
const SOCKETS = 5
/** The second heartbeat finds the first one's ping unanswered. */
const DROPPED_MS = 2 * PERIODS.heartbeatMs + 5000

/** Opens sockets whose peer vanishes without closing: the heartbeat drops them, their owner goes offline, all others stay. */
export function halfOpen(_form: Form): Promise<Outcome> {
  return onGround({ pairs: LOADED + 1, loaded: LOADED, workers: 1, restMs: 800 }, async ({ port, pairs, load, databaseUrl }) => {
    const gone = pairs[LOADED]?.sender
    if (!gone) throw new Error('Nobody is there')
    const isOnline = async () => {
      const [row] = await inDatabase(
        await databaseUrl(),
        `select nodes <> '{}' as is_online from presence where user_id = '${gone.id}'`,
      )
      return row?.['is_online'] === true
    }
    const startedAt = now()
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openRawSocket(port, gone.cookie)))
    while (!(await isOnline()) && now() - startedAt < 5000) await pause(100)
    const wasOnline = await isOnline()
    const openings = load.sockets.map((socket) => socket.openings())
    await Promise.race([Promise.all(sockets.map(({ ended }) => ended)), pause(DROPPED_MS + 5000)])
    const droppedMs = sockets.every(({ socket }) => socket.closed) ? now() - startedAt : undefined
    for (const { socket } of sockets) socket.destroy()
    await pause(1000)
    return {
      faults: SOCKETS,
      summary: `${SOCKETS} dropped after ${seconds(droppedMs)}, beside the others`,
      complaints: [
        ...atMost('dropped', droppedMs, DROPPED_MS, 'ms'),
        ...must(wasOnline && !(await isOnline()), 'the one who is gone is still shown as online'),
        ...must(
          load.sockets.every((socket, at) => socket.openings() === openings[at]),
          'sockets that answer were dropped too',
        ),
      ],
    }
  })
}
