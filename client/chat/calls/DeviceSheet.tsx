import { X } from 'lucide-react'
import { useEffect, useId } from 'react'
import { useStore } from 'zustand'
import { IconButton } from '../../ui/IconButton.tsx'
import { callStore } from './callState.ts'
import { DeviceFields } from './DeviceFields.tsx'
import { usePopover } from './usePopover.tsx'

/** The devices of the running call, above their button. A choice counts at once. */
export function DeviceSheet({ onClose }: { onClose: () => void }) {
  const stream = useStore(callStore, ({ localStream }) => localStream)
  const isVideoEnabled = useStore(callStore, (call) => call.isVideoEnabled)
  const title = useId()
  const sheet = usePopover('devices', onClose)
  useEffect(() => sheet.current?.querySelector<HTMLElement>('select, button')?.focus(), [sheet])
  return (
    <section className="call-pop device-sheet" role="dialog" aria-labelledby={title} ref={sheet}>
      <header>
        <h2 id={title}>Devices</h2>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      <DeviceFields stream={stream} hasPreview={isVideoEnabled} />
    </section>
  )
}
