import { vi } from 'vitest'
import type { CallType } from '../../contract/chat/calllimits.ts'
import { callsApi } from '../../contract/chat/calls.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
import type { FrameType } from '../../contract/frames.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { directRoomId } from '../../contract/ground/shapes.ts'
import type { Env } from '../env.ts'
import type { Api } from '../net/api.ts'
import { standInKeys } from './callkeys.ts'
import type { CallWire } from './callwire.ts'
import { FRIENDS } from './direct.ts'

const FRAMES = ['call-offer', 'call-answer', 'call-signal', 'ice-candidate', 'call-reject', 'call-end', 'call-success'] as const

interface Who {
  userId: string
  otherId: string
  deviceId?: string
  session?: string
  /** What its browser has already. */
  keys?: ReturnType<typeof standInKeys>
}

export type CallPage = Awaited<ReturnType<typeof openCallPage>>

/**
 * One tab with the real verbs of calls, its modules loaded for it alone. The server is a wire, media and connections are of
 * `openMediaWorld`, and the worker's keys a stand-in.
 */
export async function openCallPage(
  wire: CallWire,
  { userId, otherId, deviceId = `${userId.slice(0, 8)}`.repeat(4), session, keys = standInKeys() }: Who,
) {
  vi.resetModules()
  const [calls, receive, { callStore }, { roomsStore }, { accountStore }, { toastStore }, { connectionStore }, resume, underway] =
    await Promise.all([
      import('../chat/calls/calls.ts'),
      import('../chat/calls/receiveCall.ts'),
      import('../chat/calls/callState.ts'),
      import('../rooms/list/roomList.ts'),
      import('../me/account/accountState.ts'),
      import('../ui/toast.ts'),
      import('../net/status.ts'),
      import('../chat/calls/resume.ts'),
      import('../rooms/list/underway.ts'),
    ])
  const relay = {
    hasRelay: false,
    isOperators: true,
    iceServers: [] as { urls: string[]; username?: string; credential?: string }[],
    asked: 0,
    lifeMs: 600_000,
    refuses: undefined as Error | undefined,
  }
  const api = (async (endpoint: Endpoint) => {
    if (endpoint.path === callsApi.settings.path) {
      const hidesByDefault = relay.hasRelay && relay.isOperators
      return { ringsClosed: true, hasRelay: relay.hasRelay, hidesByDefault }
    }
    if (endpoint.path === roomsApi.log.path) return { entries: [], lastSeq: 0 }
    if (endpoint.path !== callsApi.turn.path) throw new Error(`The page asks for ${endpoint.path}`)
    relay.asked += 1
    if (relay.refuses) throw relay.refuses
    const expiresAt = relay.hasRelay ? new Date(Date.now() + relay.lifeMs).toISOString() : null
    return { hasRelay: relay.hasRelay, iceServers: relay.iceServers, expiresAt }
  }) as Api
  const socket = wire.socket(userId, deviceId, session)
  const env: Env = { api, socket, crypto: keys.crypto, clock: () => new Date() }
  const room = {
    ...{ id: directRoomId(userId, otherId), ownId: userId, memberIds: [userId, otherId].sort(), peers: [], direct: FRIENDS },
    ...{
      isClosed: false,
      lastSeq: 0,
      clearedSeq: 0,
      marks: {},
      addedAt: new Date(0).toISOString(),
      lastMessage: null,
      lastMessageAt: null,
    },
    ...{ unreadCount: 0, mutedUntil: null, preview: null, asksRestart: false, forks: [], isPasswordProtected: false },
    ...{ lock: 'none' as const, hasPages: false, isTyping: false },
  }
  roomsStore.setState({ status: 'ready', rooms: new Map([[room.id, room]]) })
  connectionStore.setState({ phase: 'open', ingress: 'direct', clockOffsetMs: 0 })
  accountStore.setState({ phase: 'signed_in', user: { id: userId, subscriptionTier: 'premium' } as never })
  const failures: unknown[] = []
  const hears = (type: FrameType, data: unknown) =>
    receive.receiveCall(env, { type, data } as never).catch((error: unknown) => failures.push(error))
  for (const type of FRAMES) socket.on(type, (data) => void hears(type, data))
  socket.on('refused', (refusal) => receive.refuseCall(refusal))
  vi.stubGlobal('reportError', (error: unknown) => failures.push(error))
  return {
    ...{
      userId,
      otherId,
      deviceId,
      env,
      socket,
      keys,
      relay,
      room,
      failures,
      accountStore,
      connectionStore,
      roomsStore,
      underway,
    },
    state: callStore.getState,
    store: callStore,
    dismiss: calls.dismissCall,
    rings: (callType: CallType = 'voice', consent = { allowsDirect: true }) => calls.startCall(env, room, callType, consent),
    accepts: (withVideo = false, consent = { allowsDirect: true }) => calls.acceptCall(env, withVideo, consent),
    declines: () => calls.declineCall(env),
    ends: () => calls.endCall(env),
    does: calls,
    resumes: () => resume.resumeCalls(env),
    toasts: () => toastStore.getState().queue.map(({ title, text }) => (text ? `${title}: ${text}` : title)),
    /** The outcomes of the lines that this page has written. */
    lines: () => keys.state.lines.map(({ content }) => (content?.type === 'call' ? content : undefined)),
  }
}
