import { vi } from 'vitest'
import { callsApi } from '../../contract/chat/calls.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
import { transfersApi } from '../../contract/chat/transfers.ts'
import type { FrameType } from '../../contract/frames.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { directRoomId } from '../../contract/ground/shapes.ts'
import type { Env } from '../env.ts'
import type { Api, ApiError } from '../net/api.ts'
import { FRIENDS } from './direct.ts'
import { standInTransfers } from './transferkeys.ts'
import type { TransferWire } from './transferwire.ts'

const FRAMES = [
  ...(['transfer-accept', 'transfer-answer', 'transfer-signal', 'transfer-reject'] as const),
  ...(['transfer-here', 'transfer-success', 'transfer-changed'] as const),
]

interface Who {
  userId: string
  otherId: string
  /** Of the browser: a page of the same one is a reload, or a second tab. */
  keys?: ReturnType<typeof standInTransfers>
}

export type TransferPage = Awaited<ReturnType<typeof openTransferPage>>

/** One tab with the real verbs of direct transfers, its modules loaded for it alone, as `openCallPage` has those of calls. */
export async function openTransferPage(
  wire: TransferWire,
  { userId, otherId, keys = standInTransfers(`${userId.slice(0, 8)}`.repeat(4)) }: Who,
) {
  vi.resetModules()
  const [verbs, receive, { transferStore }, { roomsStore }, { accountStore }, { toastStore }, { connectionStore }, more] =
    await Promise.all([
      import('../chat/transfers/transfers.ts'),
      import('../chat/transfers/receiveTransfer.ts'),
      import('../chat/transferline/transferState.ts'),
      import('../rooms/list/roomList.ts'),
      import('../me/account/accountState.ts'),
      import('../ui/toast.ts'),
      import('../net/status.ts'),
      Promise.all([
        import('../chat/transfers/followTransfers.ts'),
        import('../chat/transfers/knownTransfers.ts'),
        // The page's own class, which it knows by `instanceof`.
        import('../net/api.ts'),
      ]),
    ])
  const [{ followTransfers }, { knowTransfer }, net] = more
  const { deviceId } = keys.state
  const server = {
    ...{ hasRelay: false, relaysAsked: 0, isReachable: true },
    /** By path: what the next such call is refused with. */
    refuses: new Map<string, ApiError['code']>(),
    calls: [] as string[],
  }
  const answers = async (endpoint: Endpoint, input: never): Promise<unknown> => {
    server.calls.push(`${endpoint.method} ${endpoint.path}`)
    if (!server.isReachable) throw new net.ApiError(0, 'offline', 'The server is out of reach')
    const code = server.refuses.get(endpoint.path)
    if (code) throw new net.ApiError(403, code, code)
    if (endpoint.path === callsApi.settings.path) return { ringsClosed: true, hasRelay: server.hasRelay }
    if (endpoint.path === roomsApi.log.path) return { entries: [], lastSeq: 0 }
    if (endpoint.path === transfersApi.end.path) {
      const { transferId, reason } = input as Parameters<typeof wire.end>[0] & { transferId: string; reason: 'done' }
      return wire.end(transferId, reason)
    }
    if (endpoint === transfersApi.offer || (endpoint.path === transfersApi.offer.path && endpoint.method === 'POST'))
      return wire.offer(userId, deviceId, input)
    if (endpoint.path === transfersApi.list.path) return wire.listOf(userId)
    if (endpoint.path !== callsApi.turn.path) throw new Error(`The page asks for ${endpoint.path}`)
    server.relaysAsked += 1
    const iceServers = server.hasRelay ? [{ urls: ['turn:relay.example.org'], username: 'a', credential: 'b' }] : []
    return { hasRelay: server.hasRelay, iceServers, expiresAt: null }
  }
  const socket = wire.socket(userId, deviceId)
  const env: Env = { api: answers as unknown as Api, socket, crypto: keys.crypto, clock: () => new Date() }
  const room = {
    ...{ id: directRoomId(userId, otherId), ownId: userId, memberIds: [userId, otherId].sort(), peers: [], direct: FRIENDS },
    ...{ isClosed: false, lastSeq: 0, clearedSeq: 0, marks: {}, addedAt: new Date(0).toISOString() },
    ...{ lastMessage: null, lastMessageAt: null, unreadCount: 0, mutedUntil: null, preview: null, asksRestart: false, forks: [] },
    ...{ isPasswordProtected: false, lock: 'none' as const, hasPages: false, isTyping: false },
  }
  accountStore.setState({ phase: 'signed_in', user: { id: userId, subscriptionTier: 'premium' } as never })
  roomsStore.setState({ status: 'ready', rooms: new Map([[room.id, room]]) })
  connectionStore.setState({ phase: 'open', ingress: 'direct', clockOffsetMs: 0 })
  const failures: unknown[] = []
  const attempt = (work: Promise<unknown>) => void work.catch((error: unknown) => failures.push(error))
  for (const type of FRAMES)
    socket.on(type as FrameType, (data) => attempt(receive.receiveTransfer(env, { type, data } as never)))
  socket.on('refused', (refusal) => receive.refuseTransfer(refusal))
  vi.stubGlobal('reportError', (error: unknown) => failures.push(error))
  let stops = (): void => followTransfers(env, attempt)()
  return {
    ...{ userId, otherId, deviceId, env, socket, keys, server, room, failures, roomsStore, connectionStore, transferStore },
    does: verbs,
    /** As the session begins. */
    begins() {
      stops = followTransfers(env, attempt)
    },
    /** The tab is closed, or loaded anew. */
    closes() {
      socket.breaks()
      stops()
    },
    offers: (...files: File[]) => verbs.offerFiles(env, room.id, files),
    /** The line of the other's message comes on screen. */
    sees: (from: { keys: typeof keys }, id: string) => {
      const message = from.keys.state.posted.find((one) => one.id === id)
      if (message?.content?.type !== 'transfer') throw new Error('There is no such message')
      return knowTransfer(env, { content: message.content, chatRoomId: room.id, isMine: false, at: message.sentAt })
    },
    accepts: (id: string, consent = { allowsDirect: true }) => verbs.acceptTransfer(env, id, consent),
    shows: (id: string) => transferStore.getState().transfers.get(id),
    toasts: () => toastStore.getState().queue.map(({ title }) => title),
    clearToasts: () => toastStore.setState({ queue: [] }),
  }
}
