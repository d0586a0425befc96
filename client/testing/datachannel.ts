/** What lies between two ends of a channel. */
export interface Between {
  /** False: nothing comes through, and nobody hears of it for a while. */
  isUp: boolean
  /** Sees each message of a data channel: another one, or null for one that is lost. */
  carries: ((message: string | Uint8Array, label: string) => string | Uint8Array | null) | undefined
  /** How fast it is. */
  bytesPerMs: number
}

/** In order; what was sent while the network is down is lost where the channel repairs nothing. */
export class FakeChannel {
  readyState: 'connecting' | 'open' | 'closed' = 'connecting'
  binaryType = 'blob'
  bufferedAmount = 0
  bufferedAmountLowThreshold = 0
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | null = null
  onbufferedamountlow: (() => void) | null = null
  readonly label: string
  readonly init: RTCDataChannelInit
  private readonly between: () => Between
  private readonly otherEnd: () => FakeChannel | undefined
  private queue: (string | Uint8Array)[] = []
  private isCarrying = false

  constructor(
    label: string,
    init: RTCDataChannelInit,
    between: () => Between,
    otherEnd: (id: number) => FakeChannel | undefined,
  ) {
    this.label = label
    this.init = init
    this.between = between
    this.otherEnd = () => otherEnd(init.id ?? 0)
  }

  send(message: string | Uint8Array): void {
    if (this.readyState !== 'open') throw new DOMException('It is not open', 'InvalidStateError')
    this.queue.push(typeof message === 'string' ? message : message.slice())
    this.bufferedAmount += message.length
    if (this.bufferedAmount > 16 * 1024 * 1024) throw new DOMException('Too much waits', 'OperationError')
    this.carry()
  }

  private carry(): void {
    if (this.isCarrying) return
    this.isCarrying = true
    setTimeout(
      () => {
        this.isCarrying = false
        let room = this.between().bytesPerMs
        const isRepaired = this.init.maxRetransmits === undefined
        while (this.queue[0] && room > 0 && this.readyState === 'open' && (this.between().isUp || !isRepaired)) {
          const [message] = this.queue.splice(0, 1) as [string | Uint8Array]
          room -= message.length
          const before = this.bufferedAmount
          this.bufferedAmount -= message.length
          const isLow = before > this.bufferedAmountLowThreshold && this.bufferedAmount <= this.bufferedAmountLowThreshold
          const { isUp, carries } = this.between()
          if (isUp) this.brings(carries ? carries(message, this.label) : message)
          if (isLow) this.onbufferedamountlow?.()
        }
        if (this.queue.length > 0 && this.readyState === 'open') this.carry()
      },
      Math.max(1, Math.ceil((this.queue[0]?.length ?? 0) / this.between().bytesPerMs)),
    )
  }

  private brings(message: string | Uint8Array | null): void {
    const other = this.otherEnd()
    if (message === null || other?.readyState !== 'open') return
    other.onmessage?.({ data: typeof message === 'string' ? message : (message.slice().buffer as ArrayBuffer) })
  }

  opens(): void {
    if (this.readyState !== 'connecting') return
    this.readyState = 'open'
    this.onopen?.()
  }

  close(): void {
    if (this.readyState === 'closed') return
    this.readyState = 'closed'
    const other = this.otherEnd()
    setTimeout(() => this.between().isUp && other?.closes(), 1)
  }

  private closes(): void {
    if (this.readyState !== 'open') return
    this.readyState = 'closed'
    this.onclose?.()
  }
}
