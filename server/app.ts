import { createServer, type Server } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { COIN_LIMITS } from '../contract/money/coinlimits.ts'
import { accountRoutes } from './account/account/routes.ts'
import { familyRoutes } from './account/family/routes.ts'
import { lockLeaving } from './admin/acts.ts'
import { readAnchors } from './admin/anchors.ts'
import { type Answers, countAnswers } from './admin/figures.ts'
import { adminRoutes } from './admin/routes.ts'
import { callFrames } from './chat/calls/frames.ts'
import { callRoutes } from './chat/calls/routes.ts'
import { type Calls, watchCalls } from './chat/calls/watch.ts'
import { chatLockRoutes } from './chat/chatlocks/routes.ts'
import { contactRoutes } from './chat/contacts/routes.ts'
import { fileRoutes } from './chat/files/routes.ts'
import { messageFrames } from './chat/messages/frames.ts'
import { messageRoutes, messageShortcuts } from './chat/messages/routes.ts'
import { notificationRoutes } from './chat/notifications/routes.ts'
import { pushRoutes } from './chat/push/routes.ts'
import { tellDue } from './chat/push/tell.ts'
import { reportRoutes } from './chat/reports/routes.ts'
import { roomRoutes } from './chat/rooms/routes.ts'
import { transferFrames } from './chat/transfers/frames.ts'
import { transferRoutes } from './chat/transfers/routes.ts'
import type { Env } from './env.ts'
import { everyJob } from './everyjob.ts'
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
import { requireTor } from './ground/http/torOnly.ts'
import { serveWellKnown } from './ground/http/wellknown.ts'
import { type Jobs, makeJobs } from './ground/jobs/jobs.ts'
import { measureAlarms, measureAnchors, measureAnswers, measureGaps, measureJobs } from './ground/metrics/measures.ts'
import type { Metrics } from './ground/metrics/metrics.ts'
import { deviceRoutes } from './identity/devices/routes.ts'
import { sessionRoutes } from './identity/sessions/routes.ts'
import { coinRoutes } from './money/coins/routes.ts'
import { makeFrameApp } from './money/payments/frameapp.ts'
import { paymentRoutes } from './money/payments/routes.ts'
import { receiptRoutes } from './money/receipts/routes.ts'
import { privacyRoutes } from './people/privacy/routes.ts'
import type { Config, Listener } from './settings/config.ts'
import { openSockets, type Sockets } from './sockets.ts'

const WIDE_GAP = 'a wallet of coins has a long row of unpaid addresses: raise its gap limit, or it shows less than it has'

export interface App extends Sockets {
  http: FastifyInstance
  calls: Calls
  /** The periodic jobs, which run after `start`. */
  jobs: Jobs
  /** Makes a further server, with the listener's cookie, headers, origins and ingress, and with the limits of this one. */
  open(listener: Listener): Server
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

/** Assembles the server. The caller starts listening. */
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
    // Fastify could not read the address. No hook has run.
    frameworkErrors: (error, request, reply) => {
      const listener = listenerOf(env.config, request.raw.socket)
      reply.headers(headersOf(listener) ?? fewestHeaders(env.config, listener))
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
  requireTor(http, env)
  guardOrigin(http, env.config)
  readJsonBodies(http)
  endConnections(http)
  // The plugin only writes cookies: what needs one reads it, and few requests need more than the session's.
  await http.register(fastifyCookie, { hook: false })

  serveFeatures(http, env, answers)
  env.card.inside?.routes(http, clientFolder)
  if (releaseFolder) serveWellKnown(http, releaseFolder)
  serveCrawlers(http, env.config)
  if (clientFolder) await servePages(http, env, clientFolder)

  const shortcuts = messageShortcuts(http, env, { log, notes, pace })
  const calls = watchCalls(env, (error) => {
    if (!refusalOf(error)) logIncident(log, error, 'calls')
  })
  const { gateway, presence } = await openSockets(http, env, {
    log,
    databaseUrl: database.url,
    calls,
    frames: { ...messageFrames(env), ...callFrames(env, calls.places), ...transferFrames(env) },
    pace,
  })
  const { frame } = env.config
  const frameApp = frame && (await makeFrameApp(env, frame, { log, notes }))
  http.addHook('onClose', async () => await frameApp?.close())
  const attach = (server: Server, listener: Listener) => {
    bindListener(server, listener)
    boundServer(server, listener)
    for (const shortcut of shortcuts) putBefore(server, shortcut)
    if (frameApp)
      putBefore(server, (request, response) => {
        if (!isForFrame(env.config, request)) return false
        frameApp.routing(request, response)
        return true
      })
    gateway.attach(server)
  }
  attach(http.server, env.config.direct)
  const open = (listener: Listener) => {
    const server = createServer({ connectionsCheckingInterval: pace.checkMs }, http.routing)
    server.on('clientError', (error, socket) => answerClientError(env.config, error, socket))
    attach(server, listener)
    return server
  }
  const report = (error: unknown, name: string) => logIncident(log, error, `job ${name}`)
  const shown = metrics && measureAnchors(metrics)
  const shownGaps = metrics && measureGaps(metrics)
  // The job may have run today already.
  if (shown) readAnchors(env.db).then(shown, (error: unknown) => report(error, 'newest-hashes'))
  const jobs = makeJobs({
    env,
    pool: database.pool,
    jobs: everyJob(env, {
      keep(anchors) {
        log.info({ anchors }, 'the newest hashes of the audit trail and of the ledger')
        shown?.(anchors)
      },
      alarm: metrics && measureAlarms(metrics, env.clock),
      gaps(gaps) {
        for (const gap of gaps) if (gap.unpaid >= COIN_LIMITS.gap) log.warn(gap, WIDE_GAP)
        shownGaps?.(gaps)
      },
    }),
    report,
    onRun: metrics && measureJobs(metrics),
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
  env.rings.start((error) => logIncident(log, error, 'ring'))
  http.addHook('preClose', () => env.rings.stop())
  http.addHook('onClose', () => env.relay.stop())
  http.addHook('onClose', () => env.batch.drain())
  http.addHook('onClose', () => env.marks.drain())
  http.addHook('onClose', () => env.onion.stop())
  return { http, gateway, presence, calls, jobs, open }
}

/** The features, one line each. */
function serveFeatures(http: FastifyInstance, env: Env, answers: Answers): void {
  healthRoutes(http, env)
  accountRoutes(http, env, lockLeaving)
  adminRoutes(http, env, answers)
  sessionRoutes(http, env)
  deviceRoutes(http, env)
  fileRoutes(http, env)
  contactRoutes(http, env)
  chatLockRoutes(http, env)
  privacyRoutes(http, env)
  roomRoutes(http, env)
  messageRoutes(http, env)
  callRoutes(http, env)
  transferRoutes(http, env)
  notificationRoutes(http, env)
  pushRoutes(http, env)
  coinRoutes(http, env)
  reportRoutes(http, env)
  paymentRoutes(http, env)
  receiptRoutes(http, env)
  familyRoutes(http, env)
}

function trustOf(trust: Config['trustProxy']): false | string[] | ((address: string, hop: number) => boolean) {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}
