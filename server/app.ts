import type { Server } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { accountRoutes } from './account/routes.ts'
import type { Config, Listener } from './config.ts'
import { dropOldCodes } from './contacts/codes.ts'
import { followPresence, resetPresence } from './contacts/presence.ts'
import { dropStaleRequests } from './contacts/requests.ts'
import { contactRoutes } from './contacts/routes.ts'
import { followChanges } from './db/changes.ts'
import type { Database } from './db/connect.ts'
import { newestManifest } from './devices/devices.ts'
import { dropUnusedKeyPackages } from './devices/keypackages.ts'
import { deviceRoutes } from './devices/routes.ts'
import type { Env } from './env.ts'
import { readJsonBodies } from './http/body.ts'
import { endConnections } from './http/close.ts'
import { answerClientError, answerErrors, logIncident, sendError } from './http/errors.ts'
import { setHeaders } from './http/headers.ts'
import { healthRoutes } from './http/health.ts'
import { bindListener } from './http/listener.ts'
import { logAnswers, noteRequests } from './http/log.ts'
import { guardOrigin } from './http/origin.ts'
import { boundPace, PACE, type Pace } from './http/pace.ts'
import { servePages } from './http/pages.ts'
import { putBefore } from './http/shortcut.ts'
import { type Job, type Jobs, makeJobs } from './jobs/jobs.ts'
import { messageFrames } from './messages/frames.ts'
import { messageRoutes, messageShortcut } from './messages/routes.ts'
import { measureAnswers, measureJobs } from './metrics/measures.ts'
import type { Metrics } from './metrics/metrics.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { type Gateway, openGateway } from './realtime/gateway.ts'
import { roomRoutes } from './rooms/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { deleteExpiredSessions, liveSessions } from './sessions/sessions.ts'
import { dropOldSignIns } from './sessions/signins.ts'

export interface App {
  http: FastifyInstance
  gateway: Gateway
  /** The periodic jobs, which run after `start`. */
  jobs: Jobs
  /**
   * Serves another HTTP server too, with the listener's cookie, headers, origins and ingress. Its requests go to `http.routing`.
   */
  attach(server: Server, listener: Listener): void
}

interface Options {
  log: FastifyBaseLogger
  /** The database that `env.db` uses. */
  database: Pick<Database, 'pool' | 'url'>
  /** The folder of the built client. Without it only the API is served. */
  clientFolder?: string
  /** Metrics are recorded only if this is set. */
  metrics?: Metrics | undefined
  /** Timeouts for slow requests; those for people's requests if absent. */
  pace?: Pace
}

const HOUR = 60 * 60
const DAY = 24 * HOUR

const everyJob: readonly Job[] = [
  { name: 'expired-sessions', periodSeconds: HOUR, work: deleteExpiredSessions },
  { name: 'old-sign-ins', periodSeconds: DAY, work: dropOldSignIns },
  { name: 'old-contact-codes', periodSeconds: DAY, work: dropOldCodes },
  { name: 'stale-requests', periodSeconds: DAY, work: dropStaleRequests },
  { name: 'unused-key-packages', periodSeconds: DAY, work: dropUnusedKeyPackages },
]

/** Assembles the server, one line per feature. The caller starts listening. */
export async function makeApp(env: Env, { log, database, clientFolder, metrics, pace = PACE }: Options): Promise<App> {
  const http = Fastify({
    loggerInstance: log,
    // Fastify would log people's addresses, so `logAnswers` logs requests instead.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustOf(env.config.trustProxy),
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: answerClientError,
    // A request id from outside would put foreign text into our log.
    requestIdHeader: false,
    routerOptions: { maxParamLength: 200 },
    http: { connectionsCheckingInterval: pace.checkMs },
  })
  const boundServer = boundPace(http, pace)
  await setHeaders(http, env.config)
  answerErrors(http)
  const notes = [logAnswers(), ...(metrics ? [measureAnswers(metrics)] : [])]
  noteRequests(http, notes)
  guardOrigin(http, env.config)
  readJsonBodies(http)
  endConnections(http)
  // The plugin only writes cookies: what needs one reads it, and few requests need more than the session's.
  await http.register(fastifyCookie, { hook: false })

  healthRoutes(http, env)
  accountRoutes(http, env)
  sessionRoutes(http, env)
  deviceRoutes(http, env)
  contactRoutes(http, env)
  roomRoutes(http, env)
  messageRoutes(http, env)
  notificationRoutes(http, env)
  if (clientFolder) await servePages(http, clientFolder)

  await resetPresence(env)
  const gateway = openGateway(http, env, {
    frames: messageFrames(env),
    moved: followPresence(env),
    liveSessions: (sessionHashes) => liveSessions(env, sessionHashes),
    newestManifest: (userId) => newestManifest(env, userId),
  })
  const shortcut = messageShortcut(http, env, { log, notes, pace })
  const attach = (server: Server, listener: Listener) => {
    bindListener(server, listener)
    boundServer(server)
    putBefore(server, shortcut)
    gateway.attach(server)
  }
  attach(http.server, env.config.direct)
  const report = (error: unknown, name: string) => logIncident(log, error, `job ${name}`)
  const jobs = makeJobs({ env, pool: database.pool, jobs: everyJob, report, onRun: metrics && measureJobs(metrics) })
  http.addHook('preClose', () => gateway.close())
  http.addHook('preClose', () => jobs.stop())
  const stopFollowing = await followChanges(database.url, {
    onChange: ({ userId, what }) => void gateway.recheck(userId, what),
    onOpen: () => void gateway.recheck(),
    onLost: () => log.warn('the connection that listens for changes to accounts was lost: they are seen within 10 s'),
  })
  http.addHook('onClose', stopFollowing)
  http.addHook('onClose', () => env.batch.drain())
  return { http, gateway, jobs, attach }
}

function trustOf(trust: Config['trustProxy']): false | string[] | ((address: string, hop: number) => boolean) {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}
