import { useRef } from 'react'
import { Offer } from '../alerts/notifications/Offer.tsx'
import { NewDevices } from '../me/devices/NewDevices.tsx'
import { KitReminder } from '../me/kit/KitReminder.tsx'
import { NewSignIns } from '../me/sessions/NewSignIns.tsx'
import { UsesList } from '../people/contactcodes/CodeUses.tsx'
import { Vanished } from '../people/contacts/Vanished.tsx'
import { PlanReminder } from '../plan/plans/PlanReminder.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import type { Notices } from './useNotices.tsx'

interface Props {
  title: string
  notices: Notices
  onGo: (address: string) => void
  onClose: () => void
}

/** All that asks for the person, each with what can be done about it. It closes with the last one. */
export function NoticeSheet({ title, notices: { kit, offer, reminder, canWait, wait }, onGo, onClose }: Props) {
  const place = useRef<HTMLUListElement>(null)
  const focusNext = () => place.current?.focus()
  const go = (address: string) => () => {
    onClose()
    onGo(address)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <ul ref={place} className="notices" tabIndex={-1} aria-label={title}>
        <NewSignIns
          onChangePassword={go('/settings?tab=security#password')}
          onReview={go('/settings?tab=devices')}
          focusNext={focusNext}
        />
        <NewDevices onReview={go('/settings?tab=devices')} focusNext={focusNext} />
        <UsesList focusNext={focusNext} />
        <Vanished focusNext={focusNext} />
        {kit && <KitReminder onLeave={onClose} />}
        {offer && <Offer />}
        {reminder && <PlanReminder reminder={reminder} onLeave={onClose} />}
      </ul>
      {canWait && (
        <footer>
          <button type="button" className="btn outline" onClick={wait}>
            Later
          </button>
        </footer>
      )}
    </Dialog>
  )
}
