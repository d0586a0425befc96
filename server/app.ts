import type { Server } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { accountRoutes } from './account/account/routes.ts'
import { familyRoutes } from './account/family/routes.ts'
import { countAnswers, writeFigures } from './admin/figures.ts'
import { adminRoutes } from './admin/routes.ts'
import { chatLockRoutes } from './chat/chatlocks/routes.ts'
import { emptyClearedMessages } from './chat/contacts/clear.ts'
import { dropOldCodes } from './chat/contacts/codes.ts'
import { dropStaleRequests } from './chat/contacts/requests.ts'
import { contactRoutes } from './chat/contacts/routes.ts'
import { compareInPieces } from './chat/files/compare.ts'
import { deleteLate } from './chat/files/direct.ts'
import { deleteDropped } from './chat/files/objects.ts'
import { fileRoutes } from './chat/files/routes.ts'
import { messageFrames } from './chat/messages/frames.ts'
import { messageRoutes, messageShortcut } from './chat/messages/routes.ts'
import { notificationRoutes } from './chat/notifications/routes.ts'
import { pushRoutes } from './chat/push/routes.ts'
import { tellDue, tellInSlices } from './chat/push/tell.ts'
import { dropOldReports } from './chat/reports/reports.ts'
import { reportRoutes } from './chat/reports/routes.ts'
import { roomRoutes } from './chat/rooms/routes.ts'
import type { Env } from './env.ts'
import { followChanges } from './ground/db/changes.ts'
import type { Database } from './ground/db/connect.ts'
import { readJsonBodies } from './ground/http/body.ts'
import { endConnections } from './ground/http/close.ts'
import { serveCrawlers } from './ground/http/crawlers.ts'
import { answerClientError, answerErrors, logIncident, refusalOf, sendError } from './ground/http/errors.ts'
import { fewestHeaders, headersOf, setHeaders } from './ground/http/headers.ts'
import { healthRoutes } from './ground/http/health.ts'
import { bindListener, isForFrame, listenerOf } from './ground/http/listener.ts'
import { logAnswers, noteRequests } from './ground/http/log.ts'
import { guardOrigin } from './ground/http/origin.ts'
import { boundPace, PACE, type Pace } from './ground/http/pace.ts'
import { servePages } from './ground/http/pages.ts'
import { putBefore } from './ground/http/shortcut.ts'
import { serveWellKnown } from './ground/http/wellknown.ts'
import { type Job, type Jobs, makeJobs } from './ground/jobs/jobs.ts'
import { measureAnswers, measureJobs } from './ground/metrics/measures.ts'
import type { Metrics } from './ground/metrics/metrics.ts'
import { type Gateway, openGateway } from './ground/realtime/gateway.ts'
import { newestManifest } from './identity/devices/devices.ts'
import { dropUnusedKeyPackages } from './identity/devices/keypackages.ts'
import { deviceRoutes } from './identity/devices/routes.ts'
import { dropUsedChallenges } from './identity/passkeys/passkeyChallenge.ts'
import { sessionRoutes } from './identity/sessions/routes.ts'
import { deleteExpiredSessions, liveSessions } from './identity/sessions/sessions.ts'
import { dropOldSignIns } from './identity/sessions/signins.ts'
import { dropUnpaid } from './money/coins/payments.ts'
import { coinRoutes } from './money/coins/routes.ts'
import { watchPayments } from './money/coins/watchPayments.ts'
import { endPlans } from './money/ledger/ledger.ts'
import type { Card } from './money/payments/card.ts'
import { makeFrameApp } from './money/payments/frameapp.ts'
import { paymentRoutes } from './money/payments/routes.ts'
import { askForOverdue } from './money/payments/webhook.ts'
import { keepPresence, type Presence } from './people/presence/presence.ts'
import { tellSwitched } from './people/privacy/privacy.ts'
import { privacyRoutes } from './people/privacy/routes.ts'
import type { Config, Listener } from './settings/config.ts'

export interface App {
  http: FastifyInstance
  gateway: Gateway
  presence: Presence
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
  /** The folder of what the operator publishes about the client's code: its signature, and the documents of WEBCAT. */
  releaseFolder?: string
  /** Metrics are recorded only if this is set. */
  metrics?: Metrics | undefined
  /** Timeouts for slow requests; those for people's requests if absent. */
  pace?: Pace
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const everyJob: readonly Job[] = [
  { name: 'expired-sessions', periodSeconds: HOUR, work: deleteExpiredSessions },
  { name: 'used-challenges', periodSeconds: HOUR, work: dropUsedChallenges },
  { name: 'old-sign-ins', periodSeconds: DAY, work: dropOldSignIns },
  { name: 'old-contact-codes', periodSeconds: DAY, work: dropOldCodes },
  { name: 'cleared-messages', periodSeconds: HOUR, work: emptyClearedMessages },
  { name: 'daily-figures', periodSeconds: HOUR, work: writeFigures },
  { name: 'old-reports', periodSeconds: DAY, work: dropOldReports },
  { name: 'stale-requests', periodSeconds: DAY, work: dropStaleRequests },
  // Less than the minute between two looks, as of the next job.
  { name: 'dropped-files', periodSeconds: 50, work: deleteDropped },
  { name: 'late-files', periodSeconds: 50, work: deleteLate },
  { name: 'ended-plans', periodSeconds: 5 * MINUTE, work: endPlans },
  // Less than the minute between two looks.
  { name: 'coin-payments', periodSeconds: 25, work: watchPayments },
  { name: 'unpaid-coin-payments', periodSeconds: DAY, work: dropUnpaid },
  { name: 'unused-key-packages', periodSeconds: DAY, work: dropUnusedKeyPackages },
]

/** It remembers how far it is, so each server has its own. */
const compareJob = (): Job => ({ name: 'compared-files', periodSeconds: DAY, work: compareInPieces() })

/** Less than the minute between two looks, so that none is left out. It finds what no process has pushed at once. */
const pushJob = (): Job => ({ name: 'push', periodSeconds: 50, work: tellInSlices() })

/** Asks the card provider what it may have told in vain. */
const overdueJob = (): Job => ({ name: 'overdue-cards', periodSeconds: HOUR, work: askForOverdue() })

/** Where cards are paid in the sandbox, it bills what is due by the clock. */
const renewalJobs = ({ inside }: Card): Job[] =>
  inside ? [{ name: 'sandbox-renewals', periodSeconds: 50, work: inside.renewals }] : []

/** Assembles the server, one line per feature. The caller starts listening. */
export async function makeApp(
  env: Env,
  { log, database, clientFolder, releaseFolder, metrics, pace = PACE }: Options,
): Promise<App> {
  const http = Fastify({
    loggerInstance: log,
    // Fastify would log people's addresses, so `logAnswers` logs requests instead.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustOf(env.config.trustProxy),
    return503OnClosing: false,
    // Of a request that has no address that could be read, before any hook.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOf(listenerOf(env.config, request.raw)) ?? fewestHeaders(env.config))
      void sendError(error, request, reply)
    },
    clientErrorHandler: (error, socket) => answerClientError(env.config, error, socket),
    // A request id from outside would put foreign text into our log.
    requestIdHeader: false,
    routerOptions: { maxParamLength: 200 },
    http: { connectionsCheckingInterval: pace.checkMs },
  })
  const boundServer = boundPace(http, env.config, pace)
  await setHeaders(http, env.config)
  answerErrors(http)
  const answers = countAnswers()
  const notes = [logAnswers(), answers.note, ...(metrics ? [measureAnswers(metrics)] : [])]
  noteRequests(http, notes)
  guardOrigin(http, env.config)
  readJsonBodies(http)
  endConnections(http)
  // The plugin only writes cookies: what needs one reads it, and few requests need more than the session's.
  await http.register(fastifyCookie, { hook: false })

  healthRoutes(http, env)
  accountRoutes(http, env)
  adminRoutes(http, env, answers)
  sessionRoutes(http, env)
  deviceRoutes(http, env)
  fileRoutes(http, env)
  contactRoutes(http, env)
  chatLockRoutes(http, env)
  privacyRoutes(http, env)
  roomRoutes(http, env)
  messageRoutes(http, env)
  notificationRoutes(http, env)
  pushRoutes(http, env)
  coinRoutes(http, env)
  reportRoutes(http, env)
  paymentRoutes(http, env)
  env.card.inside?.routes(http)
  familyRoutes(http, env)
  if (releaseFolder) serveWellKnown(http, releaseFolder)
  serveCrawlers(http, env.config)
  if (clientFolder) await servePages(http, clientFolder)

  const presence = keepPresence(env)
  const reportPresence = (error: unknown) => {
    // A database that does not answer is no bug: the next beat, or the beat of another process, makes up for it.
    if (!refusalOf(error)) logIncident(log, error, 'presence')
  }
  await presence.beat()
  const gateway = openGateway(http, env, {
    frames: messageFrames(env),
    moved: presence.moved,
    beat: presence.beat,
    heartbeatMs: pace.heartbeatMs,
    liveSessions: (sessionHashes) => liveSessions(env, sessionHashes),
    newestManifest: (userId) => newestManifest(env, userId),
  })
  const shortcut = messageShortcut(http, env, { log, notes, pace })
  const { frame } = env.config
  const frameApp = frame && (await makeFrameApp(env, frame, { log, notes }))
  http.addHook('onClose', async () => await frameApp?.close())
  const attach = (server: Server, listener: Listener) => {
    bindListener(server, listener)
    boundServer(server)
    putBefore(server, shortcut)
    if (frameApp)
      putBefore(server, (request, response) => {
        if (!isForFrame(env.config, request)) return false
        frameApp.routing(request, response)
        return true
      })
    gateway.attach(server)
  }
  attach(http.server, env.config.direct)
  const report = (error: unknown, name: string) => logIncident(log, error, `job ${name}`)
  const jobs = makeJobs({
    env,
    pool: database.pool,
    jobs: [...everyJob, compareJob(), pushJob(), overdueJob(), ...renewalJobs(env.card)],
    report,
    onRun: metrics && measureJobs(metrics),
  })
  http.addHook('preClose', async () => {
    await gateway.close()
    await presence.stop().catch(reportPresence)
  })
  http.addHook('preClose', () => jobs.stop())
  env.push.start(async (userIds) => {
    try {
      while (await tellDue(env, userIds));
    } catch (error) {
      // The job finds whom this has not told.
      if (!refusalOf(error)) logIncident(log, error, 'push')
    }
  })
  http.addHook('preClose', () => env.push.stop())
  const stopFollowing = await followChanges(database.url, {
    onChange: ({ userId, what }) => void gateway.recheck(userId, what),
    onPresence: ({ node, what, userIds }) => {
      if (node === env.node) return
      const told = what === 'moved' ? presence.tell(userIds) : tellSwitched(env, userIds)
      told.catch(reportPresence)
    },
    onOpen: () => void gateway.recheck(),
    onLost: () => log.warn('the connection that listens for changes to accounts was lost: they are seen within 10 s'),
  })
  http.addHook('onClose', stopFollowing)
  http.addHook('onClose', () => env.batch.drain())
  return { http, gateway, presence, jobs, attach }
}

function trustOf(trust: Config['trustProxy']): false | string[] | ((address: string, hop: number) => boolean) {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}
