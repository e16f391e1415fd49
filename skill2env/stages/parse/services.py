"""The services that skills speak of: hosted ones need an account, local ones can be run or imitated on one machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skill2env.stages.parse.words import containing

HOSTED_NAMES = (
    "Salesforce|LWC|Lightning Web Components|Apex|SOQL|Pardot|MuleSoft|OmniStudio|Marketing Cloud|"
    "Experience Cloud|Service Cloud|Agentforce|"
    "HubSpot|Zoho|Pipedrive|ServiceNow|Workday|NetSuite|Dynamics 365|Power Automate|Power BI|SharePoint|"
    "Microsoft 365|Microsoft Graph|Entra ID|Azure AD|Azure|AWS|Amazon Bedrock|SageMaker|EC2|CloudFormation|"
    "Google Cloud|GCP|BigQuery|Vertex AI|Firebase|Cloudflare|Vercel|Netlify|Heroku|Fly.io|DigitalOcean|Supabase|"
    "PlanetScale|Replicate|Snowflake|Databricks|Fivetran|Airbyte Cloud|MongoDB Atlas|Confluent Cloud|Datadog|"
    "New Relic|Sentry|PagerDuty|Statuspage|Honeycomb|Logfire|LangSmith|Langfuse|Arize|Weights & Biases|wandb|OpenAI|"
    "Anthropic|Claude API|Cohere|Mistral API|OpenRouter|Groq|Perplexity|ElevenLabs|Kling|klingai|Midjourney|HeyGen|"
    "fal.ai|Stability AI|Together AI|Hugging Face Hub|GitHub Actions|GitHub API|GitHub Copilot|GitLab|Bitbucket|"
    "Azure DevOps|Jira|Confluence|Asana|Trello|ClickUp|Notion|Airtable|Monday.com|Basecamp|Todoist|Slack|Discord|"
    "Telegram|WhatsApp|Twilio|SendGrid|Mailchimp|Mailgun|Resend|Gmail|Google Calendar|Google Docs|Google Sheets|"
    "Google Drive|Google Ads|Google Analytics|Outlook|Zoom|Calendly|Intercom|Zendesk|Freshdesk|Shopify|Stripe|"
    "PayPal|Plaid|QuickBooks|Xero|Twitter|X API|LinkedIn|Facebook|Instagram|TikTok|YouTube|Reddit|Bluesky|Mastodon|"
    "Spotify|Etsy|eBay|Airbnb|Yelp|Okta|Auth0|Clerk|Ping Identity|CyberArk|1Password|HashiCorp Cloud|CrowdStrike|"
    "SentinelOne|Microsoft Defender|Palo Alto|Zscaler|Proofpoint|Tenable|Qualys|Rapid7|VirusTotal|Shodan|Snyk|"
    "SonarCloud|UiPath|Zapier|Make.com|n8n Cloud|Composio|Membrane|Apify|Bright Data|Firecrawl|SerpAPI|Tavily|"
    "Ahrefs|Semrush|Apollo.io|ZoomInfo|Mixpanel|Amplitude|PostHog|App Store Connect|TestFlight|Play Store|EAS|"
    "Expo Application Services|RevenueCat|Webflow|Wix|Squarespace|Contentful|Ethereum|Solana|Bitcoin|Coinbase|"
    "Binance|Uniswap|Polymarket|Hyperliquid|USDC|x402|CoinGecko|Benchling|LatchBio|DNAnexus|Opentrons|LabArchives|"
    "protocols.io|Ginkgo|Adaptyv|Pinecone|Weaviate Cloud|Qdrant Cloud|clawhub|Moltbook|OpenClaw|BrowserStack|"
    "Sauce Labs|TestRail|Chromatic|Figma|Canva|Miro|Adobe|Modal Labs|Linear issue|Linear issues|Linear API|"
    "Linear team|Linear ticket|Linear tickets|Linear workspace|GitHub Issue|GitHub Issues|GitHub PR|GitHub PRs|"
    "Pull Requests|Rube MCP|Gemini API|Google Gemini|AWS Lambda|Amazon S3|Base mainnet|Polygon network|SAP S/4HANA|"
    "Neon Postgres|Segment CDP|Exa API|Sanity CMS|Square API|Salesforce org|Dev Hub|Moltbot|"
    "Clawdbot|Kalshi|Alpaca|Tesla|Philips Hue|Home Assistant|Garmin|Strava|Fitbit|Oura|Apple Health|Google Maps|"
    "OpenWeather|Alpha Vantage|Yahoo Finance|Finnhub|Tushare|Feishu|Lark|DingTalk|WeChat|Weibo|Xiaohongshu|Douyin|"
    "Bilibili|Taobao|Alipay|飞书|钉钉|微信|小红书|抖音|淘宝|支付宝|公众号"
)
"""Names as they are written; the letter case counts, since many are common words too."""
HOSTED = tuple(HOSTED_NAMES.split("|"))
LOCAL = {
    "PostgreSQL": "postgres postgresql psql pgvector postgis pg_dump pg_stat_statements",
    "MySQL": "mysql mariadb",
    "SQL Server": "sql-server mssql t-sql",
    "Oracle": "oracle-database pl/sql",
    "MongoDB": "mongodb mongosh mongoose",
    "Redis": "redis valkey redlock",
    "Elasticsearch": "elasticsearch opensearch kibana",
    "Splunk": "splunk",
    "SIEM": "siem microsoft-sentinel qradar wazuh",
    "Kafka": "kafka redpanda",
    "RabbitMQ": "rabbitmq amqp",
    "NATS": "nats jetstream",
    "ClickHouse": "clickhouse",
    "QuestDB": "questdb",
    "Neo4j": "neo4j",
    "Cassandra": "cassandra scylladb",
    "Qdrant": "qdrant",
    "Milvus": "milvus",
    "Weaviate": "weaviate",
    "etcd": "etcd zookeeper consul",
    "Vault": "hashicorp-vault",
    "Kubernetes": "kubernetes kubectl k8s eks gke aks",
    "Docker": "docker docker-compose",
    "Prometheus": "prometheus grafana",
    "Active Directory": "active-directory domain-controller domain-controllers kerberos ldap",
    "web site": "target.com target-website web-page web-pages website websites scrape scraping crawler crawling",
    "mail server": "smtp imap",
    "Ollama": "ollama lm-studio",
    "MinIO": "minio s3-compatible",
    "Keycloak": "keycloak",
    "Jenkins": "jenkins",
    "Airflow": "airflow",
    "Temporal": "temporal-server temporal-cluster",
    "WordPress": "wordpress",
}
"""Words by which a service is known, in lower case; a hyphen stands for a space too."""
WORD = re.compile(r"[A-Za-z0-9](?:[\w.+/&-]*[\w+])?|[\u4e00-\u9fff]{2,40}")


class Mention(NamedTuple):
    """One service named in a line; `sort` is `hosted` or `local`."""

    name: str
    sort: str


def _phrases() -> dict[str, list[tuple[tuple[str, ...], Mention]]]:
    table: dict[str, list[tuple[tuple[str, ...], Mention]]] = {}
    for name in HOSTED:
        words = tuple(name.split())
        table.setdefault(words[0].lower(), []).append((words, Mention(name, "hosted")))
    for name, known in LOCAL.items():
        for word in known.split():
            for words in {(word,), tuple(word.split("-"))}:
                table.setdefault(words[0], []).append((words, Mention(name, "local")))
    return table


PHRASES = _phrases()
"""By the first word in lower case."""
CHINESE = tuple(name for name in HOSTED if not name.isascii())
APART = bytes(code if chr(code).isalnum() and code < 128 else ord(" ") for code in range(256))
"""Leaves the letters and digits of ASCII, and makes blanks of the rest."""


def _pieces(text: str) -> set[bytes]:
    """Return the runs of letters and digits in lower case; as bytes, which takes half the time of a regular expression."""
    return {*text.encode("ascii", "replace").lower().translate(APART).split()}


PIECES = [
    (first, _pieces(" ".join(words)))
    for first, table in PHRASES.items()
    if first not in CHINESE
    for words, _ in table
]
"""The first word of each phrase in lower case, and the pieces that a text must hold to hold the phrase."""


def lines_naming(lines: list[str]) -> set[int]:
    """Return the indexes of the lines that may name a service: some name begins in them, and all its words are in the text."""
    pieces = _pieces("\n".join(lines))
    beginnings = {first for first, needed in PIECES if needed <= pieces}
    return containing(lines, (*beginnings, *CHINESE))


def services_in(line: str) -> Iterator[Mention]:
    """Yield the services that a line names, in a time that grows with its length only."""
    words = WORD.findall(line)
    for index in [index for index, word in enumerate(words) if word.lower() in PHRASES]:
        for phrase, mention in PHRASES[words[index].lower()]:
            found = words[index : index + len(phrase)]
            if mention.sort == "local":
                found = [word.lower() for word in found]
            if tuple(found) == phrase:
                yield mention
    if not line.isascii():
        yield from (Mention(name, "hosted") for name in CHINESE if name in line)


HOSTED_PROGRAMS = {
    "aws": "AWS",
    "az": "Azure",
    "azd": "Azure",
    "gcloud": "Google Cloud",
    "gsutil": "Google Cloud",
    "bq": "BigQuery",
    "gh": "GitHub",
    "glab": "GitLab",
    "vercel": "Vercel",
    "netlify": "Netlify",
    "heroku": "Heroku",
    "flyctl": "Fly.io",
    "fly": "Fly.io",
    "doctl": "DigitalOcean",
    "supabase": "Supabase",
    "firebase": "Firebase",
    "stripe": "Stripe",
    "twilio": "Twilio",
    "sf": "Salesforce",
    "sfdx": "Salesforce",
    "eas": "EAS",
    "uip": "UiPath",
    "sentry-cli": "Sentry",
    "modal": "Modal",
    "wrangler": "Cloudflare",
    "op": "1Password",
    "gog": "Google Workspace",
    "infsh": "inference.sh",
    "mcporter": "tool servers",
    "clawhub": "ClawHub",
    "membrane": "Membrane",
    "ax": "Arize",
    "snyk": "Snyk",
    "wandb": "Weights & Biases",
    "databricks": "Databricks",
    "snowsql": "Snowflake",
    "huggingface-cli": "Hugging Face Hub",
}
LOCAL_PROGRAMS = {
    "psql": "PostgreSQL",
    "pg_dump": "PostgreSQL",
    "mysql": "MySQL",
    "mongosh": "MongoDB",
    "redis-cli": "Redis",
    "kubectl": "Kubernetes",
    "kind": "Kubernetes",
    "minikube": "Kubernetes",
    "docker": "Docker",
    "docker-compose": "Docker",
    "podman": "Docker",
    "nmap": "hosts to scan",
    "sqlmap": "web site",
    "nikto": "web site",
    "nuclei": "web site",
    "ffuf": "web site",
    "gobuster": "web site",
    "wfuzz": "web site",
    "hydra": "hosts to scan",
    "ollama": "Ollama",
    "clickhouse-client": "ClickHouse",
    "cqlsh": "Cassandra",
    "vault": "Vault",
    "crackmapexec": "Active Directory",
    "netexec": "Active Directory",
    "ldapsearch": "Active Directory",
    "msfconsole": "hosts to scan",
}
"""Programs that speak to a service and to little else."""
