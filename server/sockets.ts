import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Calls } from './chat/calls/watch.ts'
import type { Env } from './env.ts'
import { followChanges } from './ground/db/changes.ts'
import { logIncident, refusalOf } from './ground/http/errors.ts'
import type { Pace } from './ground/http/pace.ts'
import { type Gateway, openGateway } from './ground/realtime/gateway.ts'
import type { FrameHandlers } from './ground/realtime/listen.ts'
import { newestManifest } from './identity/devices/devices.ts'
import { liveSessions } from './identity/sessions/liveSessions.ts'
import { keepPresence, type Presence } from './people/presence/presence.ts'
import { tellSwitched } from './people/privacy/privacy.ts'

export interface Sockets {
  gateway: Gateway
  presence: Presence
}

interface Options {
  log: FastifyBaseLogger
  databaseUrl: string
  frames: FrameHandlers
  calls: Calls
  pace: Pace
}

/** Opens the gateway, keeps who is online, and follows what other processes announce. The app closes them when it stops. */
export async function openSockets(
  http: FastifyInstance,
  env: Env,
  { log, databaseUrl, frames, calls, pace }: Options,
): Promise<Sockets> {
  const presence = keepPresence(env)
  const reportPresence = (error: unknown) => {
    // A database that does not answer is no bug: the next beat, or the beat of another process, makes up for it.
    if (!refusalOf(error)) logIncident(log, error, 'presence')
  }
  await presence.beat()
  const gateway = openGateway(http, env, {
    frames,
    moved: presence.moved,
    arrived: calls.arrived,
    left: calls.places.left,
    beat: presence.beat,
    pace,
    liveSessions: (sessionHashes) => liveSessions(env, sessionHashes),
    newestManifest: (userId) => newestManifest(env, userId),
  })
  http.addHook('preClose', async () => {
    calls.stop()
    await gateway.close()
    await presence.stop().catch(reportPresence)
  })
  const stopFollowing = await followChanges(databaseUrl, {
    onChange: ({ userId, what }) => void gateway.recheck(userId, what),
    onPresence: ({ node, what, userIds, viewers = [] }) => {
      if (node === env.node) return
      if (what === 'moved') presence.tell(userIds).catch(reportPresence)
      else for (const userId of userIds) tellSwitched(env, userId, viewers)
    },
    onOpen: () => void gateway.recheck(),
    onLost: () => log.warn('the connection that listens for changes to accounts was lost: they are seen within 10 s'),
  })
  http.addHook('onClose', stopFollowing)
  return { gateway, presence }
}
