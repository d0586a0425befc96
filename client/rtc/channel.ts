import type { Bytes } from '../../contract/ground/bytes.ts'

// RFC 8831. Chromium throws at 16 MB that wait.
const HIGH_BYTES = 4 * 1024 * 1024
const LOW_BYTES = 1024 * 1024
/** RFC 8841 section 6.1: what every browser takes. */
export const MESSAGE_MAX_BYTES = 64 * 1024

export interface ChannelEvents {
  onOpen: () => void
  onClosed: () => void
  /** Never longer than `MESSAGE_MAX_BYTES`: longer ones are dropped. */
  onMessage: (message: string | ArrayBuffer) => void
}

export type Channel = ReturnType<typeof openChannel>

export function openChannel(channel: RTCDataChannel, { onOpen, onClosed, onMessage }: ChannelEvents) {
  let wake: (() => void)[] = []
  const wakeAll = () => {
    const waiting = wake
    wake = []
    for (const goOn of waiting) goOn()
  }
  const isOpen = () => channel.readyState === 'open'
  channel.binaryType = 'arraybuffer'
  channel.bufferedAmountLowThreshold = LOW_BYTES
  channel.onbufferedamountlow = wakeAll
  channel.onopen = onOpen
  channel.onclose = () => {
    wakeAll()
    onClosed()
  }
  channel.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if ((typeof data === 'string' ? data.length : data.byteLength) <= MESSAGE_MAX_BYTES) onMessage(data)
  }

  return {
    isOpen,

    /** False: it has closed. Throws RangeError for what is too long. */
    send(message: string | Bytes): boolean {
      if (message.length > MESSAGE_MAX_BYTES) throw new RangeError('A message is too long for a data channel')
      if (!isOpen()) return false
      if (typeof message === 'string') channel.send(message)
      else channel.send(message)
      return true
    },

    /** Bytes that wait. */
    waiting: (): number => channel.bufferedAmount,

    /** Waits while too much waits. False: it has closed. */
    async untilRoom(): Promise<boolean> {
      if (isOpen() && channel.bufferedAmount >= HIGH_BYTES) await new Promise<void>((resolve) => wake.push(resolve))
      return isOpen()
    },

    close(): void {
      channel.onopen = channel.onclose = channel.onmessage = channel.onbufferedamountlow = null
      wakeAll()
      channel.close()
    },
  }
}
