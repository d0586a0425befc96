import { type Channel, openChannel } from './channel.ts'
import { createPeer, type PeerOptions } from './peer.ts'

/** Both ends name the same, at the same places: nothing of it is negotiated. */
export interface ChannelOptions {
  label: string
  /** undefined: whatever is lost is sent again. */
  maxRetransmits?: number
  onMessage: (message: string | ArrayBuffer) => void
}

export interface DataOptions extends PeerOptions {
  channels: readonly [ChannelOptions, ChannelOptions]
  /** Both are open. */
  onOpen: () => void
  /** One has closed. */
  onClosed: () => void
}

export type DataPeer = ReturnType<typeof createDataPeer>

/** Two ordered channels beside each other. */
export function createDataPeer({ channels, onOpen, onClosed, ...options }: DataOptions) {
  const opened: Channel[] = []
  const peer = createPeer(options, (connection) => {
    const onChange = () => {
      if (opened.every((channel) => channel.isOpen())) onOpen()
    }
    channels.forEach(({ label, maxRetransmits, onMessage }, id) => {
      const init = { id, negotiated: true, ordered: true, ...(maxRetransmits !== undefined && { maxRetransmits }) }
      opened.push(openChannel(connection.createDataChannel(label, init), { onOpen: onChange, onClosed, onMessage }))
    })
    return {
      onOffer: async () => undefined,
      onAnswer: async () => undefined,
      onClose() {
        for (const channel of opened) channel.close()
      },
    }
  })
  const [first, second] = opened as [Channel, Channel]
  return { ...peer, channels: [first, second] as const }
}
