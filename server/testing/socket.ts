import type WebSocket from 'ws'
import { type FrameOf, type FrameType, type ServerFrame, serverFrame } from '../../contract/frames.ts'

const WAIT_MS = 3000

/** A person's open socket. */
export interface TestSocket {
  /** Every frame received. */
  frames: ServerFrame[]
  /** Waits for the next frame of this type that no earlier `hears` returned and that `isMeant` accepts. Fails after 3 s. */
  hears<T extends FrameType>(type: T, isMeant?: (frame: FrameOf<T>) => boolean): Promise<FrameOf<T>>
  /** Sends a frame, or any text or bytes unchanged. */
  says(frame: unknown): void
  /** Resolves when the socket is closed. */
  closed: Promise<{ code: number; reason: string }>
  hangsUp(): void
  raw: WebSocket
}

/** Waits for the socket to open, parses every frame by the contract, and keeps those that `hears` has not returned. */
export async function openTestSocket(socket: WebSocket, refused: (status: number, text: string) => Error): Promise<TestSocket> {
  const frames: ServerFrame[] = []
  const kept: ServerFrame[] = []
  const looks = new Set<() => void>()
  socket.on('message', (raw) => {
    const frame = serverFrame.parse(JSON.parse(raw.toString()))
    frames.push(frame)
    kept.push(frame)
    for (const look of looks) look()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await opening(socket, refused)
  return {
    frames,
    closed,
    raw: socket,
    hears: (type, isMeant = () => true) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const frame = take(kept, type, isMeant)
          if (!frame) return
          clearTimeout(timer)
          looks.delete(look)
          resolve(frame)
        }
        const timer = setTimeout(() => {
          looks.delete(look)
          reject(new Error(`No "${type}" came; there were: ${frames.map((frame) => frame.type).join(', ')}`))
        }, WAIT_MS)
        looks.add(look)
        look()
      }),
    says: (frame) => socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    hangsUp: () => socket.close(),
  }
}

function take<T extends FrameType>(
  kept: ServerFrame[],
  type: T,
  isMeant: (frame: FrameOf<T>) => boolean,
): FrameOf<T> | undefined {
  const isWanted = (frame: ServerFrame): frame is FrameOf<T> => frame.type === type
  const frame = kept.filter(isWanted).find(isMeant)
  if (frame) kept.splice(kept.indexOf(frame), 1)
  return frame
}

function opening(socket: WebSocket, refused: (status: number, text: string) => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.on('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => reject(refused(response.statusCode ?? 0, text)))
    })
  })
}
