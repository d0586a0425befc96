import { useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { WayDialog } from '../security/WayDialog.tsx'
import { removeBrowser, reopenRooms } from './removeBrowser.ts'
import type { OwnDevice } from './store.ts'

interface Props {
  device: OwnDevice
  isStolen?: boolean
  onClose: () => void
  /** Called when the browser is out: the pressed button has gone with its row. */
  onRemoved: () => void
}

function useRemoval({ device, onClose, onRemoved }: Props) {
  const env = useEnv()
  return async (opener: Parameters<typeof removeBrowser>[1], isStolen: boolean, text: string) => {
    await removeBrowser(env, opener, device.id, { isStolen })
    onClose()
    requestAnimationFrame(onRemoved)
    showToast({ tone: 'good', title: 'Browser removed', text })
    reopenRooms(env).catch((error) => showToast({ tone: 'bad', title: 'A chat is not ready', text: failureWords(error) }))
  }
}

/** Removes one of the person's own browsers. */
export function RemoveDevice(props: Props) {
  const { device, onClose } = props
  const remove = useRemoval(props)
  const [isStolen, setStolen] = useState(props.isStolen ?? false)
  return (
    <WayDialog
      title={`Remove ${device.name}?`}
      text="The browser is signed out at once and reads nothing that is sent afterwards. If it is offline, it keeps showing what is on its screen until it comes online. What it stored cannot be opened again."
      action="Remove"
      pendingAction="Removing..."
      isDangerous
      onClose={onClose}
      onOpen={(opener) => remove(opener, isStolen, `${device.name} is no longer part of your account.`)}
    >
      <label className="choice">
        <input type="checkbox" checked={isStolen} onChange={() => setStolen(!isStolen)} />
        <b>It was lost or stolen</b>
        <span>Then everybody whose number you have not compared in this browser becomes “Not verified”.</span>
      </label>
    </WayDialog>
  )
}

/** Removes a browser that somebody else has added. Whoever did knows the password, so the caller asks for a new one. */
export function NotMe(props: Props) {
  const { device, onClose } = props
  const remove = useRemoval(props)
  return (
    <WayDialog
      title={`Was ${device.name} not you?`}
      text="It is signed out at once and its keys are taken from every chat. People whose number you have not compared in this browser become “Not verified”. Then you choose a new password."
      action="Remove it"
      pendingAction="Removing..."
      isDangerous
      onClose={onClose}
      onOpen={(opener) => remove(opener, true, 'Whoever added it knows your password. Choose a new one now.')}
    />
  )
}
