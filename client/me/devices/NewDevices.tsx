import { Copy, MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { later } from '../../ui/later.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { moment } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { knowCopy, knowDevices } from './deviceList.ts'
import { devicesStore } from './store.ts'

const LogoutDialog = later(async () => (await import('../account/LogoutDialog.tsx')).LogoutDialog)

const WIPED = 'It says that its data had been deleted, by the server or by you, and that it was added anew.'

export const COPIED = 'This browser’s data was copied or restored'

interface Props {
  onReview: () => void
  /** The pressed button disappears, so focus another element. */
  focusNext: () => void
}

/** Announces a newly added browser until the person confirms it [Note: D1]. */
export function NewDevices({ onReview, focusNext }: Props) {
  const { announced, copiedAt } = useStore(devicesStore)
  return (
    <>
      {copiedAt !== null && <Copied at={copiedAt} focusNext={focusNext} />}
      {announced.map(({ id, name, addedAt, wasWiped }) => (
        <Notice
          key={id}
          icon={MonitorSmartphone}
          tone="warn"
          title="A new browser was added to your account"
          text={
            <>
              <bdi>{name}</bdi>, {moment(new Date(addedAt))}. {wasWiped && `${WIPED} `}Not you? Review it and choose “Not me”.
            </>
          }
        >
          <ItWasMe id={id} name={name} focusNext={focusNext} />
          <button type="button" className="btn compact outline" onClick={onReview}>
            Review
          </button>
        </Notice>
      ))}
    </>
  )
}

/** Warns that somebody uses a copy of this browser's keys, unless the person restored a backup [Note: V2]. */
function Copied({ at, focusNext }: { at: string; focusNext: () => void }) {
  const env = useEnv()
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Notice
      icon={Copy}
      tone="warn"
      title={COPIED}
      text={`Noticed ${moment(new Date(at))}. If you did not restore a backup, somebody may write as you with the copy: log out with “Remove its keys”, sign in again, and remove the old browser under Devices.`}
    >
      <button
        type="button"
        className="btn compact outline"
        onClick={() =>
          knowCopy(env).then(focusNext, (error) =>
            showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) }),
          )
        }
      >
        I restored it
      </button>
      <button type="button" className="btn compact outline" onClick={() => setLeaving(true)}>
        Remove this browser
      </button>
      {isLeaving && <LogoutDialog asksForRemoval onClose={() => setLeaving(false)} />}
    </Notice>
  )
}

interface AnswerProps {
  id: string
  name: string
  focusNext: () => void
}

/** Confirms the device in all tabs of this browser. */
export function ItWasMe({ id, name, focusNext }: AnswerProps) {
  const env = useEnv()
  return (
    <button
      type="button"
      className="btn compact outline"
      aria-label={`It was me who added ${name}`}
      onClick={() =>
        knowDevices(env, [id]).then(focusNext, (error) =>
          showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) }),
        )
      }
    >
      It was me
    </button>
  )
}
