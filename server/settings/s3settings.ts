import { ConfigError, read, readUrl, type Variables } from './variables.ts'

export interface S3Settings {
  endpoint: URL
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Has no slash at the end; undefined if this server carries all bytes. */
  publicUrl: string | undefined
}

/** All or none are set. */
export function readS3(variables: Variables): S3Settings | undefined {
  const names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  const endpoint = readUrl(variables, 'S3_ENDPOINT', ['http:', 'https:'], 'an address such as https://s3.example.org')
  const [, bucket, accessKeyId, secretAccessKey] = names.map((name) => read(variables, name))
  const missing = names.find((name) => read(variables, name) === undefined)
  if (endpoint && bucket && accessKeyId && secretAccessKey)
    return {
      ...{ endpoint, bucket, region: read(variables, 'S3_REGION') ?? 'us-east-1', accessKeyId, secretAccessKey },
      publicUrl: readBucketUrl(variables),
    }
  if (read(variables, 'S3_PUBLIC_URL') !== undefined)
    throw new ConfigError('S3_PUBLIC_URL', `set together with ${names.join(', ')}`, '')
  if (missing && names.some((name) => read(variables, name) !== undefined))
    throw new ConfigError(missing, `set together with ${names.filter((name) => name !== missing).join(', ')}`, '')
  return undefined
}

/** An https page sends to https only. */
export function readBucketUrl(variables: Variables): string | undefined {
  const expected = 'the address of the bucket in the browser, such as https://files.example.org/bucket, https where PUBLIC_URL is'
  const isSecure = readUrl(variables, 'PUBLIC_URL', ['http:', 'https:'], 'an address')?.protocol === 'https:'
  const url = readUrl(variables, 'S3_PUBLIC_URL', isSecure ? ['https:'] : ['http:', 'https:'], expected)
  if (url && (url.search !== '' || url.hash !== '' || url.username !== '' || /[;,'*]/.test(url.pathname)))
    throw new ConfigError('S3_PUBLIC_URL', expected, url.href)
  return url?.href.replace(/\/+$/, '')
}
