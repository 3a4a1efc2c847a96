Weir
Copyright 2026 The Weir maintainers

Licensed under the Apache License, Version 2.0 (LICENSE).

This archive contains these libraries, each under the license that is named first. Where a library brings license or
notice files of its own, they are in licenses/, one folder for each library.

<#list dependencyMap as e><#assign project = e.getKey()/><#assign licenses = e.getValue()/>
${project.groupId}:${project.artifactId} ${project.version}
    <#list licenses as license>${license}<#if license_has_next>, </#if></#list><#if project.url??> · ${project.url}</#if>
</#list>
