import { adminApi } from '../../contract/admin/admin.ts'
import { Counters } from '../ui/Counters.tsx'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { countWords } from './adminWords.ts'
import { useLoaded } from './useLoaded.tsx'

export function SubscriptionsTab() {
  const env = useEnv()
  const { value, failure, reload } = useLoaded('subscriptions', () => env.api(adminApi.subscriptionStats, {}))
  if (!value) return <NotRead words="The subscriptions could not be loaded." failure={failure ?? null} onRetry={reload} />
  return (
    <>
      <Counters
        counters={[
          { name: 'Free users', value: countWords(value.free), note: '100 messages' },
          { name: 'Premium users', value: countWords(value.premium), note: '$1,000/month' },
          { name: 'Total', value: countWords(value.total) },
          { name: 'Test users', value: countWords(value.test) },
          { name: 'Master users', value: countWords(value.master) },
          { name: 'Enterprise users', value: countWords(value.enterprise) },
        ]}
      />
      <p className="t2">The controls of each subscription are in the Users tab.</p>
    </>
  )
}
