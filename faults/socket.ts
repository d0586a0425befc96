import WebSocket from 'ws'
import type { SeedUser } from '../bench/seed.ts'
import type { Draft } from '../contract/chat/messages.ts'
import { serverFrame } from '../contract/frames.ts'
import { type Decision, isDecided } from './decisions.ts'
import { entryOfCommit, entryOfMessage } from './entries.ts'
import { type History, keepMarks, now } from './recorder.ts'

/** A person's socket, which reconnects whenever it breaks. */
export interface TestSocket {
  isOpen(): boolean
  /** The number of times that the socket has been opened. */
  openings(): number
  /** Sends a message and waits for the server's decision. */
  says(draft: Draft & { id: string }): Promise<Decision>
  hangsUp(): void
}

const AGAIN_MS = 200
const REPLY_MS = 12_000
let sockets = 0

/** Opens a socket and records the frames it receives. */
export function openTestSocket(port: number, { id: userId, cookie }: SeedUser, history: History): TestSocket {
  const waiting = new Map<string, (reply: Decision) => void>()
  let socket: WebSocket | undefined
  let isOver = false
  let openings = 0

  function open(): void {
    sockets += 1
    const number = sockets
    const opened = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { cookie }, perMessageDeflate: false })
    socket = opened
    opened.on('open', () => {
      openings += 1
    })
    opened.on('message', (raw) => onFrame(number, raw.toString()))
    // A 'close' event follows.
    opened.on('error', () => undefined)
    opened.on('close', () => {
      for (const settle of waiting.values()) settle({ outcome: 'unknown', code: 'broken' })
      if (!isOver) setTimeout(() => isOver || open(), AGAIN_MS * (0.5 + Math.random()))
    })
  }

  function onFrame(connection: number, text: string): void {
    const frame = serverFrame.parse(JSON.parse(text))
    if (frame.type === 'refused') {
      const { id, code } = frame.data
      // A busy or broken server has not decided: the message may be stored.
      if (id) waiting.get(id)?.(isDecided(code) ? { outcome: 'refused', code } : { outcome: 'unknown', code })
      return
    }
    if (frame.type === 'receipt') {
      const { chatRoomId: roomId, userId: markedBy, ...seqs } = frame.data
      keepMarks(history, seqs, { userId: markedBy, roomId, knownAt: now() })
      return
    }
    if (frame.type !== 'message' && frame.type !== 'commit') return
    const entry = frame.type === 'commit' ? entryOfCommit(frame.data) : entryOfMessage(frame.data)
    history.frames.push({ userId, connection, at: now(), entry })
    if (entry.senderId === userId) waiting.get(entry.id)?.({ outcome: 'acknowledged', seq: entry.seq, answered: entry.digest })
  }

  open()
  return {
    isOpen: () => socket?.readyState === WebSocket.OPEN,
    openings: () => openings,
    says: (draft) =>
      new Promise((resolve) => {
        const settle = (reply: Decision) => {
          clearTimeout(late)
          waiting.delete(draft.id)
          resolve(reply)
        }
        const late = setTimeout(() => settle({ outcome: 'unknown', code: 'broken' }), REPLY_MS)
        waiting.set(draft.id, settle)
        socket?.send(
          JSON.stringify({ type: 'message', data: draft }),
          (error) => error && settle({ outcome: 'unknown', code: 'broken' }),
        )
      }),
    hangsUp() {
      isOver = true
      socket?.terminate()
    },
  }
}
