import { NotificationSettings } from '../alerts/notifications/NotificationSettings.tsx'
import { PushSettings } from '../alerts/push/PushSettings.tsx'
import { RingClosed } from '../chat/calls/RingClosed.tsx'

/** What tells of news, in this browser and when it is closed. */
export function NotificationsPage() {
  return (
    <NotificationSettings>
      <PushSettings>
        <RingClosed />
      </PushSettings>
    </NotificationSettings>
  )
}
