import { Bell, Eye, Gem, HardDrive, Info, type LucideIcon, MonitorSmartphone, Shield, UserRound } from 'lucide-react'
import type { Place } from './settingsWords.ts'

export const PLACE_ICONS: Record<Place, LucideIcon> = {
  profile: UserRound,
  notifications: Bell,
  storage: HardDrive,
  about: Info,
  plan: Gem,
  security: Shield,
  privacy: Eye,
  devices: MonitorSmartphone,
}
