"""Wordings that speak for a verdict; each is looked for in the name and description, and in every line of the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from skill2env.models.feasibility import Verdict


class Phrases(NamedTuple):
    """One signal made of wordings."""

    signal: str
    toward: Verdict
    about: str
    title: float
    """Points where the name or description has one."""
    line: float
    """Points for each line that has one."""
    most: float
    """Points that lines can add at most."""
    pattern: re.Pattern[str]


def _phrases(
    signal: str,
    toward: Verdict,
    about: str,
    points: tuple[float, float, float],
    pattern: str,
    case: bool = False,
) -> Phrases:
    return Phrases(signal, toward, about, *points, re.compile(pattern, 0 if case else re.IGNORECASE))


PHRASES = (
    _phrases(
        "account-wording",
        "external_account",
        "signing up, logging in, keys, tenants and bills",
        (2.0, 0.6, 3.6),
        r"\bsign(?:ed)? up (?:for|at|on|to)\b|\bsign up\b.{0,20}https?:|\bcreate an? (?:free )?account\b"
        r"|\b(?:an? |your |valid |active )(?:\w+ )?account\b|\bAPI[ -]keys?\b"
        r"|\blog(?:ged)? ?in (?:to|with|via)\b|\bauth(?:enticated?)? (?:login|with|via|token)\b|\baccess tokens?\b"
        r"|\bbearer\b|\bfree[ -]tier\b|\bbilling\b|\btenants?\b|\bproduction org\b|\bsandbox org\b"
        r"|\byour org\b|\bquota\b|API ?(?:密钥|キー)|账[户号]|注册|登录|アカウント|認証",
    ),
    _phrases(
        "product-api",
        "external_account",
        "the API of a product",
        (1.5, 0.0, 0.0),
        r"\b(?!REST|Web|Python|Fetch|View|Composition|Options|Intl|Streams|HTTP|JSON|Public|Local|Core|Node|Java|Rust|Context|History"
        r"|An|The|This|Use|With|Via|Any|Your|Design|Build|Test)"
        r"[A-Z]\w+ (?:[A-Z]\w+ ){0,2}APIs?\b",
        case=True,
    ),
    _phrases(
        "tool-server",
        "external_account",
        "a tool server that stands between the agent and a hosted product",
        (3.0, 0.5, 3.0),
        r"\bRUBE_\w+|\bRube MCP\b|\bComposio\b|\bactive connection\b|\bvia \w+ MCP\b|\bMembrane\b",
    ),
    _phrases(
        "wallet",
        "external_account",
        "wallets, chains and money",
        (2.5, 0.6, 2.5),
        r"\bwallets?\b|\bmainnet\b|\bon-?chain\b|\bUSDC\b|\bgas fees?\b|\bprivate keys? .{0,30}wallet"
        r"|\btrading account\b|\bDeFi\b|钱包",
    ),
    _phrases(
        "cloud",
        "external_account",
        "resources of a cloud",
        (0.8, 0.25, 1.4),
        r"\bcloud (?:resources?|accounts?|consoles?|platform|infrastructure|environments?)\b|\bserverless\b"
        r"|\bIAM (?:roles?|polic)|\bS3 buckets?\b"
        r"|\bmanaged identit|\bdeploy(?:s|ed|ing)? to (?:production|the cloud)\b|\bprovision(?:s|ed|ing)?\b|\bSaaS\b",
    ),
    _phrases(
        "live-data",
        "needs_stand_in",
        "data that is fetched from the network as it is now",
        (2.0, 0.6, 2.4),
        r"\breal-?time (?:data|prices?|quotes?|market)\b|\bcrypto(?:currenc(?:y|ies))?\b|\bmarket (?:data|movers|prices?)\b"
        r"|\blive (?:data|prices?|quotes?)\b|\bstock (?:prices?|quotes?)\b|\bweather\b"
        r"|\bfetch(?:es|ing)? (?:the )?(?:latest|current|live)\b|\bno API key\b|\bpublic API\b|\bREST API\b"
        r"|\bE-utilities\b|\bopen data\b",
    ),
    _phrases(
        "target",
        "needs_stand_in",
        "a web site, host or directory that is tested or searched",
        (2.2, 0.4, 2.5),
        r"\btarget (?:system|host|site|website|url|domain|application|network|server)s?\b|\btarget\.com\b"
        r"|\bpenetration test|\bpentest|\bvulnerability scan"
        r"|\bweb ?sites?\b|\bscrap(?:e|ing|er)\b|\bcrawl|\bactive directory\b|\bdomain controllers?\b|\bSIEM\b"
        r"|\bnetwork (?:traffic )?monitor"
        r"|\bexploit(?:s|ing|ation)?\b|\bbrowser automation\b|\breal browser\b|\b(?:web|security) headers\b",
    ),
    _phrases(
        "desktop",
        "gui_or_hardware",
        "programs with windows and menus",
        (2.5, 0.5, 2.5),
        r"\bCmd ?\+|\bCtrl ?\+ ?Shift|\bright-click\b|\bclick (?:on )?(?:the|\*\*|\")|\bSettings? >"
        r"|\bdesktop app|\bIDE\b|\bCursor (?:IDE|editor|chat|composer)\b|\bBurp Suite\b|\bBlender\b"
        r"|\bUnity\b|\bUnreal\b|\bPhotoshop\b|\bSketchUp\b|\bAutoCAD\b"
        r"|\bObsidian\b|\bMetaTrader\b|\bExcel (?:app|application)\b|\bAppleScript\b|\bosascript\b",
    ),
    _phrases(
        "platform",
        "gui_or_hardware",
        "systems other than Linux, and phones",
        (3.0, 0.5, 3.0),
        r"\bmacOS\b|\bApple Silicon\b|\biOS\b|\biPhone\b|\biPad\b|\bXcode\b|\bSwiftUI\b|\bUIKit\b|\bSwift\b"
        r"|\bAndroid\b|\bFlutter\b|\bJetpack Compose\b|\bKMP\b"
        r"|\bReact Native\b|\bExpo\b"
        r"|\bWindows (?:\d+|Forms|Registry|Event|Server|Defender|app|desktop|machine|host|endpoint)"
        r"|\bWinForms\b|\bWPF\b|\bUWP\b|\bWinUI\b|\bMAUI\b"
        r"|\bActive Directory\b|\bPowerShell\b|\b(?:mobile|native) apps?\b|\bsimulator\b|\bemulator\b",
    ),
    _phrases(
        "hardware",
        "gui_or_hardware",
        "GPUs, model weights and devices",
        (3.0, 0.6, 4.0),
        r"\bGPUs?\b|\bLLM (?:inference|serving|training)\b|\b(?:distributed|model) training\b|\bCUDA\b|\bVRAM\b"
        r"|\b[AH][12]00\b|\bmulti-?node\b|\btorchrun\b|\bvLLM\b|\bTensorRT\b|\bfine-?tun(?:e|ing)\b|\bLoRA\b"
        r"|\bfrom_pretrained\b|\b\d+B\b (?:model|param)"
        r"|\bArduino\b|\bRaspberry Pi\b|\bESP32\b|\bfirmware\b|\bBluetooth\b|\bUSB\b|\bmicrophone\b|\bcamera\b"
        r"|\brobotics?\b|\bPLC\b|\bSDR\b|\bsmart home\b|\bprinter\b",
    ),
    _phrases(
        "agents",
        "agent_host",
        "other agents, and tools that only one agent program has",
        (2.6, 0.6, 3.5),
        r"\bsub-?agents?\b|\bmulti-agents?\b|\bspawn(?:s|ing)? .{0,30}agents?\b"
        r"|\b(?:parallel|specialist|worker|reviewer) agents?\b|\borchestrat(?:e|es|or|ion|ing)\b.{0,40}agents?"
        r"|\bTask tool\b|\bAgent tool\b|\bSendMessage\b|\bTodoWrite\b|\bagent teams?\b|\bagentic\b"
        r"|\bAI agents?\b|\bprompt templates?\b|\bClaude (?:Code|Agent) (?:plugins?|SDK|sessions?|hooks?)\b"
        r"|\bmcp__\w+|\bMCP (?:tools?|client)\b"
        r"|\bCLAUDE_PLUGIN_ROOT\b|\bslash commands?\b|\bsession (?:id|memory|state|history)\b"
        r"|\bcontext window\b|\bOpenClaw\b|\bClawd|子代理|智能体|サブエージェント",
    ),
    _phrases(
        "person",
        "agent_host",
        "questions to a person",
        (0.5, 0.25, 1.0),
        r"\bAskUserQuestion\b|\bask_user\b|\bask the user\b|\bwait for (?:the )?user\b|\bhuman partner\b",
    ),
    _phrases(
        "business",
        "prose_only",
        "business, marketing, law, teaching and talk",
        (1.8, 0.3, 2.1),
        r"\bmarketing\b|\bstakeholders?\b|\bcustomers?\b|\baudiences?\b|\bbrand(?:ing)?\b|\bsales\b"
        r"|\binvestors?\b|\bpitch\b|\bgo-to-market\b|\bfounders?\b"
        r"|\bhiring\b|\binterviews?\b|\bcopywriting\b|\bstorytelling\b|\bcoach(?:ing)?\b|\bnegotiat"
        r"|\bcontent (?:strategy|calendar|creation)\b|\blegal\b|\bcontracts?\b"
        r"|\bregulat(?:ion|ory)\b|\bphilosoph|\bcustomer retention\b|\bpricing strateg|\bproduct manage|\bPRD\b"
        r"|\buser stor(?:y|ies)\b|\bsocratic\b|\bessays?\b|\bresume\b"
        r"|\bnewsletter\b|\bspeech\b|\bcouncil\b|\bdeliberat|\bexplain(?:s|ing)? (?:concepts?|ideas?)\b|简历|营销"
        r"|商业|写作|教学|ビジネス|投資家|戦略|マーケティング",
    ),
    _phrases(
        "principles",
        "prose_only",
        "principles, mindsets and planning",
        (0.8, 0.12, 0.8),
        r"\bprinciples?\b|\bmindset\b|\bphilosophy\b|\bframework for\b|\bplanning\b|\bspecifications?\b"
        r"|\bexpert in\b|\bmasters? (?:modern|both|of)\b|\bYou are an? \w+|\bguidance\b|\bbrainstorm"
        r"|\broadmap\b|\bknowledge\b|\bbest practices\b",
    ),
    _phrases(
        "filler",
        "stub",
        "sentences that say nothing of the work",
        (2.0, 0.9, 5.0),
        r"\bThis skill (?:enables|empowers|allows) (?:Claude|AI assistant)"
        r"|\bprovides automated assistance for\b|\bNo source-backed install\b|\bInvoke this skill when the trigger\b"
        r"|\bThe skill will:"
        r"|\bThe (?:skill|plugin) (?:will )?(?:analyzes?|generates?|collects?|identifies|fetches|receives|detects?|provides)\b"
        r"|\bNext steps before publishing\b|\bProject documentation\b$"
        r"|\bThis skill activates when\b|\bThe skill produces structured output\b"
        r"|\bDefine optimal approach based on best practices\b|\bExample usage patterns will be demonstrated\b"
        r"|\bfor testing discovery\b|\bSee `content\.md`",
    ),
    _phrases(
        "attack",
        "harmful",
        "attacks on others, and hiding them",
        (4.0, 0.5, 3.0),
        r"\b(?:WAF|AV|EDR|antivirus|firewall|AMSI) (?:bypass|evasion)\b"
        r"|\bbypass(?:es|ing)? (?:\w+ ){0,4}(?:firewall|WAF|antivirus|EDR|detection|paywall)"
        r"|\bphishing (?:kit|page|campaign|email)s?\b"
        r"|\bkeylogger\b|\bransomware (?:payload|builder)\b|\breverse shell\b"
        r"|\bC2 (?:server|infrastructure|framework)\b|\bcredential (?:dumping|harvesting)\b"
        r"|\bpayload obfuscation\b|\bevade detection\b"
        r"|\bDDoS\b|\bcrack(?:ing)? passwords?\b|\bexfiltrat(?:e|ing) (?:data|credentials)\b",
    ),
    _phrases(
        "checkable",
        "practicable",
        "tests, builds, linters and validation",
        (1.0, 0.18, 1.4),
        r"\b(?:unit|integration|property|regression|e2e|end-to-end) tests?\b|\bpytest\b|\bvitest\b|\bjest\b"
        r"|\bplaywright\b|\blint(?:er|ing|s)?\b|\btype-?check|\bcompil(?:e|es|er|ation)\b|\bvalidat(?:e|es|ion|or)\b"
        r"|\bparse(?:s|r)?\b|\bconvert(?:s|ing)?\b|\bgit (?:rebase|bisect|commit|diff|log|merge|hooks?)\b"
        r"|\bregex\b|\balgorithms?\b|\bschemas?\b|\brefactor|\bdebugg?(?:ing)?\b",
    ),
    _phrases(
        "making",
        "practicable",
        "things that are made or computed from what is there",
        (0.8, 0.0, 0.0),
        r"\bimplement(?:s|ing|ations?)?\b|\bcalculat(?:e|es|ing|ion)\b|\bcomput(?:e|es|ing)\b"
        r"|\bextract(?:s|ing|ion)?\b|\bdiagrams?\b|\bcode review\b|\boptimi[sz](?:e|es|ing|ation)\b"
        r"|\bdata structures?\b|\bcomponents?\b|\blibrary\b|\bcommand-line\b|\bscripts?\b|\bparallel(?:ism)?\b"
        r"|\bconcurren(?:t|cy)\b|\bconfigur(?:e|es|ing|ation) files?\b|\brender(?:s|ing)?\b",
    ),
    _phrases(
        "technique",
        "practicable",
        "languages, libraries and formats that need nothing but a package",
        (2.2, 0.1, 1.2),
        r"\bPython\b|\bTypeScript\b|\bJavaScript\b|\bNode\.?js\b|\bReact\b|\bVue\b|\bSvelte\b|\bAngular\b"
        r"|\bNext\.js\b|\bNuxt\b|\bTailwind\b|\bCSS\b|\bHTML\b|\bRust\b|\bGo(?:lang)?\b|\bJava\b|\bKotlin\b"
        r"|\bSpring Boot\b|\bC\+\+|\bC#"
        r"|\b\.NET\b|\bMSBuild\b|\bRuby\b|\bRails\b|\bPHP\b|\bLaravel\b|\bDjango\b|\bFastAPI\b|\bFlask\b"
        r"|\bNestJS\b|\bExpress\b|\bGraphQL\b|\bSQLite\b|\bpandas\b|\bNumPy\b|\bSciPy\b|\bscikit-learn\b"
        r"|\bmatplotlib\b"
        r"|\bBioconductor\b|\bR packages?\b|\bbedtools\b|\bsamtools\b|\bVCF\b|\bBAM\b|\bFASTQ\b|\bCSV\b"
        r"|\bJSON\b|\bYAML\b|\bMarkdown\b|\bPDF\b|\bLaTeX\b|\bffmpeg\b|\bImageMagick\b|\bpandoc\b|\bGit\b"
        r"|\bbash\b|\bshell scripts?\b"
        r"|\bnpm\b|\bBun\b|\bDeno\b|\bVite\b|\bWebAssembly\b|\bWASM\b|\bTerraform\b|\bHelm\b|\bOPA\b|\bRego\b|\bconftest\b|\bKustomize\b|\bAnsible\b|\bDockerfiles?\b|\bBazel\b|\bNginx\b"
        r"|\bOpenAPI\b|\baccessibility\b|\bPCAP\b|\bdisk images?\b|\bmemory dumps?\b|\blog files?\b",
        case=True,
    ),
)
