import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { CLOSE, CLOSE_LATER, RINGS_PATH } from '../../../contract/frames.ts'
import { CONTRACT_VERSION, LIMITS, PERIODS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import type { Config } from '../../settings/config.ts'
import { isSure } from '../http/access.ts'
import { readSessionHash } from '../http/cookie.ts'
import { logIncident, rawAnswer, refusalOf } from '../http/errors.ts'
import { policyOf } from '../http/headers.ts'
import { comesByOnion, isForFrame, listenerOf } from '../http/listener.ts'
import { isOriginAllowed } from '../http/origin.ts'
import type { Pace } from '../http/pace.ts'
import { isPastTor, torRequired } from '../http/torOnly.ts'
import { type AccountHooks, type Accounts, watchAccounts } from './accounts.ts'
import { type Seat, sendFrame } from './hub.ts'
import { type FrameHandlers, listen } from './listen.ts'

const RECHECK_MS = 10_000
const GRACE_MS = 2000
/** A circuit may stall for half a minute. */
const PINGS = { direct: 1, onion: 2 }

export interface Gateway {
  attach(server: Server): void
  /** Runs for all users every 10 s too. Logs failures. */
  recheck: Accounts['recheck']
  /** Closes open sockets with 1012 and waits for them. */
  close(): Promise<void>
}

interface Hooks extends AccountHooks {
  frames: FrameHandlers
  /** Runs when a user's first socket opens or the last one closes. */
  moved: (userId: string) => Promise<void>
  /** Each socket. */
  arrived: (seat: Seat) => Promise<void>
  left: (seat: Seat) => void
  beat: () => Promise<void>
  /** A socket that has not answered the last ping is closed, through Tor the last two. */
  pace: Pick<Pace, 'heartbeatMs' | 'socketsMax' | 'comingMax' | 'backPerSecond'>
}

/** Serves sockets at /ws after a check of session and Origin. */
export function openGateway(app: FastifyInstance, env: Env, hooks: Hooks): Gateway {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: LIMITS.frameBytes,
    perMessageDeflate: false,
  })
  // WEBCAT wants the policy on the upgrade's answer too.
  sockets.on('headers', (lines, { socket }) =>
    lines.push(`Content-Security-Policy: ${policyOf(env.config, listenerOf(env.config, socket))}`),
  )
  /** The pings that may still stay unanswered. */
  const pingsLeft = new WeakMap<WebSocket, number>()
  /** By account: nobody makes a queue alone. */
  const underWay = new Map<string, Promise<unknown>>()
  const accounts = watchAccounts(env, hooks)
  const { pace } = hooks
  let isClosing = false

  const report = (error: unknown) => {
    if (!refusalOf(error)) logIncident(app.log, error, 'socket')
  }
  const track = (started: Promise<void>, userId = '') => {
    const work = Promise.all([underWay.get(userId), started.catch(report)])
    underWay.set(userId, work)
    work.then(() => underWay.get(userId) === work && underWay.delete(userId))
  }

  function attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      // A connection reset would end the process without this listener.
      socket.on('error', () => socket.destroy())
      const { ingress } = listenerOf(env.config, request.socket)
      admit(request)
        .then((user) => {
          const { id: userId, sessionHash, deviceId } = user
          const mine = { userId, sessionHash, deviceId, isWaiting: request.url === RINGS_PATH }
          const came = { ingress, comesByOnion: comesByOnion({ ingress, headers: request.headers }) }
          sockets.handleUpgrade(request, socket, head, (opened) => seat(user, { ...mine, ...came, socket: opened, wire: socket }))
        })
        .catch((error: unknown) => {
          report(error)
          refuseUpgrade(env.config, socket, refusalOf(error) ?? new Refusal('internal'))
        })
    })
  }

  async function admit(request: IncomingMessage): Promise<SignedInUser> {
    if (request.url?.split('?')[0] !== '/ws' || isForFrame(env.config, request)) throw new Refusal('not_found')
    if (isClosing) throw new Refusal('unavailable')
    const listener = listenerOf(env.config, request.socket)
    if (isPastTor(env, listener)) throw torRequired(env)
    if (!isOriginAllowed(env.config, request)) throw new Refusal('forbidden_origin')
    const hash = readSessionHash(listener, request.headers.cookie)
    const user = hash === undefined ? undefined : await env.findSession(hash)
    if (!user) throw new Refusal('not_signed_in')
    if (isClosing) throw new Refusal('unavailable')
    return user
  }

  function seat(user: SignedInUser, mine: Seat): void {
    const { socket, ingress, isWaiting } = mine
    const isHere = () => pingsLeft.set(socket, PINGS[ingress])
    isHere()
    socket.on('pong', isHere)
    // ws itself closes with 1009, 1007 or 1002.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (env.hub.leave(mine)) track(hooks.moved(user.id), user.id)
      hooks.left(mine)
    })
    if (env.hub.size() >= pace.socketsMax || underWay.size >= pace.comingMax) {
      // The page takes off up to a half.
      sendAway(socket, 40 + 20 * Math.random(), CLOSE_LATER.busy)
      return
    }
    sendFrame(socket, {
      type: 'hello',
      data: {
        contractVersion: CONTRACT_VERSION,
        ingress,
        serverTime: env.clock().toISOString(),
        onionAddress: env.onion.address() ?? null,
        isTorRequired: env.onion.isRequired,
        userId: user.id,
      },
    })
    // An outdated page learns from `hello` that a new one exists.
    if (!isSure(user) && !(isWaiting && user.isAsleep)) {
      socket.close(CLOSE.deviceRequired, 'A device must sign first')
      return
    }
    accounts.note(mine, user)
    listen(env, mine, hooks.frames, report)
    if (env.hub.join(mine)) track(hooks.moved(user.id), user.id)
    track(hooks.arrived(mine), user.id)
  }

  const recheck: Accounts['recheck'] = (userId, what) => accounts.recheck(userId, what).catch(report)

  const timers = [
    setInterval(() => {
      for (const socket of sockets.clients) {
        const left = pingsLeft.get(socket) ?? 0
        if (left === 0) {
          socket.terminate()
          continue
        }
        pingsLeft.set(socket, left - 1)
        if (socket.readyState === socket.OPEN) socket.ping()
      }
    }, pace.heartbeatMs),
    setInterval(() => {
      void recheck()
      track(hooks.beat())
    }, RECHECK_MS),
  ]

  return {
    attach,
    recheck,
    async close() {
      isClosing = true
      timers.forEach(clearInterval)
      let place = 0
      for (const socket of sockets.clients) sendAway(socket, place++ / pace.backPerSecond, CLOSE_LATER.restart)
      const deadline = Date.now() + GRACE_MS
      while (sockets.clients.size > 0 && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, 10))
      for (const socket of sockets.clients) socket.terminate()
      await Promise.all(underWay.values())
    },
  }
}

function sendAway(socket: WebSocket, seconds: number, code: number): void {
  if (seconds > PERIODS.reconnectMs / 1000) sendFrame(socket, { type: 'come_back', data: { seconds } })
  socket.close(code, 'Come back later')
}

function refuseUpgrade(config: Config, socket: Duplex, refusal: Refusal): void {
  if (socket.writable) socket.end(rawAnswer(config, socket, refusal))
  else socket.destroy()
}
