import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Bytes } from '../../../contract/ground/bytes.ts'
import type { DataPeer } from '../../rtc/channelPeer.ts'
import { splitFrames } from './chunkFrames.ts'
import { type ControlMessage, countMessages, type Range, readControl } from './controlMessages.ts'
import { type LiveTransfer, type Mover, show } from './liveTransfer.ts'
import { followRate } from './transferRate.ts'

/** A mebibyte. */
const BATCH = 64
/** Batches that are sealed while others go out: with one the channel ran empty. */
const AHEAD = 2
/** No receiver that keeps what comes asks for more. */
const SENT_MAX = (total: number): number => 8 * total + 1024

export interface MoverEvents {
  onFailed: (error: unknown) => void
  onEnd: (end: 'declined' | 'cancelled') => void
}

/** The sender's end: sends what is asked for, and nothing else. */
export function sendOver(one: LiveTransfer, [control, chunks]: DataPeer['channels'], events: MoverEvents): Mover {
  const { env, transferId, content, attempt } = one
  const totalChunks = chunksOf(content.sizeBytes)
  const mayBe = countMessages(() => env.clock().getTime())
  const rate = followRate(one)
  let queue: Range[] = []
  const sealing: Promise<Bytes>[] = []
  let rounds = 0
  let have = 0
  let sent = 0
  let sentInAll = 0
  let isRunning = false
  let isOver = false
  let wake: (() => void) | undefined

  const says = (message: ControlMessage) => control.send(JSON.stringify(message))
  const isPaused = () => one.isPaused || one.isPausedThere
  const shows = () =>
    rate.moved(Math.max(0, Math.min(content.sizeBytes, (have + sent) * TRANSFER_LIMITS.chunkBytes - chunks.waiting())))

  function next(): { from: number; count: number } | undefined {
    const [first, ...others] = queue
    if (!first) return undefined
    const [from, to] = first
    const count = Math.min(BATCH, to - from)
    queue = from + count < to ? [[from + count, to], ...others] : others
    return { from, count }
  }

  function sealAhead(): void {
    while (sealing.length < AHEAD) {
      const batch = next()
      if (!batch) return
      const sealed = env.crypto.sealChunks({ transferId, attempt, ...batch })
      sealed.catch(() => undefined)
      sealing.push(sealed)
    }
  }

  /** False: it is over. */
  async function untilMay(): Promise<boolean> {
    while (isPaused() && !isOver)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    return !isOver && (await chunks.untilRoom())
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      while (sealing[0]) {
        const frames = splitFrames(await sealing[0])
        sealing.shift()
        sealAhead()
        for (const frame of frames) {
          if (!(await untilMay())) return
          if (!chunks.send(frame)) return
          sent += 1
        }
        shows()
        sentInAll += frames.length
        if (sentInAll > SENT_MAX(totalChunks)) throw new Error('More was asked for than a file has')
      }
      says({ type: 'file-done', transferId, rounds })
    } catch (error) {
      if (!isOver) events.onFailed(error)
    } finally {
      isRunning = false
    }
  }

  function asked(ranges: Range[], there: number): void {
    rounds += 1
    // The other end does not know what is under way.
    if (!isRunning) {
      have = there
      sent = 0
    }
    queue.push(...ranges)
    sealAhead()
    one.tries = 0
    show(one, { stage: one.isPaused ? 'paused' : 'moving' })
    void run()
  }

  function goOn(): void {
    if (isPaused()) {
      shows()
      rate.rest()
    } else wake?.()
  }

  return {
    onOpen() {
      const { name: fileName, sizeBytes: fileSize } = content
      says({ type: 'file-offer', transferId, fileName, fileSize, totalChunks })
      if (one.isPaused) says({ type: 'file-pause', transferId, isPaused: true })
    },
    onControl(text) {
      if (!mayBe()) return events.onFailed(new Error('The other end floods'))
      const message = readControl(text, transferId, totalChunks)
      if (message?.type === 'file-accept') asked(message.need, message.have)
      else if (message?.type === 'file-missing') asked(message.ranges, message.have)
      else if (message?.type === 'file-decline') events.onEnd('declined')
      else if (message?.type === 'file-cancel') events.onEnd('cancelled')
      else if (message?.type === 'file-pause') {
        one.isPausedThere = message.isPaused
        show(one, { isPausedThere: message.isPaused })
        goOn()
      }
    },
    // The sender asks for nothing.
    onChunk: () => undefined,
    onPause() {
      says({ type: 'file-pause', transferId, isPaused: one.isPaused })
      show(one, { stage: one.isPaused ? 'paused' : 'moving' })
      goOn()
    },
    tellEnd: (how) => void says({ type: how, transferId }),
    stop() {
      isOver = true
      wake?.()
      rate.rest()
    },
  }
}
