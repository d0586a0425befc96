import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { type Bytes, concat } from '../../../contract/ground/bytes.ts'
import type { DataPeer } from '../../rtc/channelPeer.ts'
import { nameOf } from '../files/fileWords.ts'
import { numberOf } from './chunkFrames.ts'
import { type ControlMessage, countMessages, RANGES_MAX, type Range, readControl } from './controlMessages.ts'
import { type LiveTransfer, type Mover, show } from './liveTransfer.ts'
import type { MoverEvents } from './sendLoop.ts'
import { followRate } from './transferRate.ts'

/** Two mebibytes: each batch opens the file anew. */
const BATCH = 128
const FLUSH_MS = 200
/** 16 MiB: what is asked for and not kept yet bounds the memory of both ends. */
const WINDOW = 1024
/** Control and chunks are two streams: the word that all was sent overtakes the last chunks. */
const SETTLE_MS = 300
const LOOK_MS = 1000
const SILENCE_MS = 4000
const SILENCES_MAX = 3
/** Rounds that brought bytes, and nothing that opens. */
const SPOILED_MAX = 5

export interface ReceiverEvents extends MoverEvents {
  /** Nothing comes over a connection that stands. */
  onSilent: () => void
  /** What comes is not what was offered. */
  onForged: () => void
  /** Every chunk is here. */
  onWhole: () => Promise<void>
}

/** The receiver's end: asks for what is missing, a window at a time, until nothing is. */
export function receiveOver(one: LiveTransfer, [control]: DataPeer['channels'], events: ReceiverEvents): Mover {
  const { env, transferId, chatRoomId, content, attempt } = one
  const totalChunks = chunksOf(content.sizeBytes)
  const now = () => env.clock().getTime()
  const mayBe = countMessages(now)
  const rate = followRate(one)
  const wanted = new Uint8Array(totalChunks)
  /** Asked for, and not come. */
  let open = 0
  /** Come, and not kept. */
  let unkept = 0
  let toAsk: Range[] = []
  let rounds = 0
  let have = 0
  let batch: Bytes[] = []
  let keeping: Promise<void> = Promise.resolve()
  let heardAt = now()
  let silences = 0
  let spoiled = 0
  let cameSince = 0
  let hadBefore = 0
  let unasked = 0
  let isOffered = false
  let isSettling = false
  let isOver = false
  const timers = new Map<string, ReturnType<typeof setTimeout>>()

  const says = (message: ControlMessage) => control.send(JSON.stringify(message))
  const isPaused = () => one.isPaused || one.isPausedThere

  function later(name: string, ms: number, work: () => void): void {
    clearTimeout(timers.get(name))
    timers.set(
      name,
      setTimeout(() => {
        timers.delete(name)
        if (!isOver) work()
      }, ms),
    )
  }

  function fail(error: unknown): void {
    if (!isOver) events.onFailed(error)
  }

  function takeRanges(): Range[] {
    const taken: Range[] = []
    while (toAsk[0] && open + unkept < WINDOW && taken.length < RANGES_MAX) {
      const [from, to] = toAsk[0]
      const end = Math.min(to, from + WINDOW - open - unkept)
      if (end < to) toAsk[0] = [end, to]
      else toAsk.shift()
      wanted.fill(1, from, end)
      open += end - from
      taken.push([from, end])
    }
    return taken
  }

  function ask(): void {
    const ranges = takeRanges()
    if (ranges.length === 0) return
    rounds += 1
    if (rounds === 1) says({ type: 'file-accept', transferId, have, need: ranges })
    else says({ type: 'file-missing', transferId, have, ranges })
  }

  const askMore = () => {
    if (toAsk.length > 0 && open + unkept <= WINDOW / 2) ask()
  }

  function keep(): Promise<void> {
    const frames = batch
    batch = []
    if (frames.length === 0) return keeping
    keeping = keeping
      .then(async () => {
        if (isOver) return
        have = await env.crypto.openChunks({ transferId, attempt }, concat(...frames))
        unkept -= frames.length
        if (isOver) return
        rate.moved(Math.min(content.sizeBytes, have * TRANSFER_LIMITS.chunkBytes))
        if (have > hadBefore) one.tries = 0
        askMore()
      })
      .catch(fail)
    return keeping
  }

  /** Asks anew for what has not come, until everything is here. */
  async function settle(): Promise<void> {
    if (isSettling || isOver) return
    isSettling = true
    try {
      await keep()
      const missing = await env.crypto.missingChunks({ transferId, chatRoomId })
      if (isOver) return
      if (missing.length === 0) return await events.onWhole()
      have = totalChunks - missing.reduce((sum, [from, to]) => sum + to - from, 0)
      spoiled = cameSince > 0 && have <= hadBefore ? spoiled + 1 : 0
      cameSince = 0
      hadBefore = have
      if (spoiled >= SPOILED_MAX) return events.onForged()
      wanted.fill(0)
      open = 0
      toAsk = missing
      ask()
    } catch (error) {
      fail(error)
    } finally {
      isSettling = false
    }
  }

  function look(): void {
    later('look', LOOK_MS, look)
    if (isPaused() || open === 0 || now() - heardAt < SILENCE_MS) return
    heardAt = now()
    silences += 1
    if (silences >= SILENCES_MAX) events.onSilent()
    else void settle()
  }

  function onOffer({ fileName, fileSize, totalChunks: told }: Extract<ControlMessage, { type: 'file-offer' }>): void {
    if (nameOf(fileName) !== nameOf(content.name) || fileSize !== content.sizeBytes || told !== totalChunks) {
      events.onForged()
      return
    }
    if (isOffered) return
    isOffered = true
    show(one, { stage: one.isPaused ? 'paused' : 'moving' })
    if (one.isPaused) says({ type: 'file-pause', transferId, isPaused: true })
    void settle()
    look()
  }

  return {
    onOpen: () => undefined,
    onControl(text) {
      if (!mayBe()) return events.onFailed(new Error('The other end floods'))
      const message = readControl(text, transferId, totalChunks)
      if (message?.type === 'file-offer') onOffer(message)
      else if (message?.type === 'file-done' && message.rounds === rounds) later('settle', SETTLE_MS, () => void settle())
      else if (message?.type === 'file-decline' || message?.type === 'file-cancel') events.onEnd('cancelled')
      else if (message?.type === 'file-pause') {
        one.isPausedThere = message.isPaused
        show(one, { isPausedThere: message.isPaused })
        heardAt = now()
        if (message.isPaused) rate.rest()
      }
    },
    onChunk(frame) {
      const number = numberOf(frame)
      if (number === undefined || wanted[number] !== 1) {
        unasked += 1
        if (unasked > 8 * WINDOW) events.onFailed(new Error('The other end floods'))
        return
      }
      wanted[number] = 0
      open -= 1
      unkept += 1
      cameSince += 1
      silences = 0
      heardAt = now()
      batch.push(new Uint8Array(frame))
      if (batch.length >= BATCH) void keep()
      else if (batch.length === 1) later('keep', FLUSH_MS, () => void keep())
      if (open === 0 && toAsk.length === 0) void settle()
      if (timers.has('settle')) later('settle', SETTLE_MS, () => void settle())
    },
    onPause() {
      heardAt = now()
      says({ type: 'file-pause', transferId, isPaused: one.isPaused })
      show(one, { stage: one.isPaused ? 'paused' : 'moving' })
      if (one.isPaused) rate.rest()
    },
    tellEnd: (how) => void says({ type: how, transferId }),
    stop() {
      isOver = true
      for (const timer of timers.values()) clearTimeout(timer)
      rate.rest()
    },
  }
}
